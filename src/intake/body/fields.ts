/** The fields of a submission as they are read, and the limits of a body's fields. */

import { AppError } from '../../errors.ts';

/** One field: its name, and the JSON text of its value exactly as it is stored and returned. */
export interface PostedField {
	name: string;
	json: string;
}

/** The fields of a body. */
export interface Posted {
	fields: PostedField[];
	/** The JSON text that they were read from. */
	json?: string;
}

/** Makes an empty list, in the order in which names first appear. */
export function createFieldList(limits: FieldLimits) {
	const fields: PostedField[] = [];
	const places = new Map<string, number>();
	let repeats: Map<number, string[]> | undefined;

	function repeat(place: number, json: string): void {
		repeats ??= new Map();
		const values = repeats.get(place);
		if (values) values.push(json);
		else repeats.set(place, [(fields[place] as PostedField).json, json]);
	}

	return {
		/** @throws {AppError} PAYLOAD_TOO_LARGE when the name is too long. */
		add(name: string, value: string): void {
			checkName(name, limits);
			const json = JSON.stringify(value);
			const place = places.get(name);
			if (place === undefined) {
				places.set(name, fields.length);
				fields.push({ name, json });
			} else {
				repeat(place, json);
			}
		},

		fields(): PostedField[] {
			for (const [place, values] of repeats ?? []) (fields[place] as PostedField).json = `[${values.join(',')}]`;
			return fields;
		},
	};
}

export interface FieldLimits {
	/** Fields of one submission; a JSON body may have ten times as many members and elements below them. */
	maxFields: number;
	/** Bytes of a field's name in UTF-8, at every level. */
	maxNameBytes: number;
	/** Nesting of objects and arrays, including the body itself. */
	maxDepth: number;
}

export function tooManyFields(limits: FieldLimits): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', `A submission may have at most ${limits.maxFields} fields.`);
}

/** @throws {AppError} PAYLOAD_TOO_LARGE */
export function checkName(name: string, limits: FieldLimits): void {
	if (!isShortName(name, limits)) throw nameTooLong(limits);
}

export function isShortName(name: string, { maxNameBytes }: FieldLimits): boolean {
	// UTF-8 needs at most three bytes for a UTF-16 code unit, so that few names have to be measured.
	if (name.length * 3 <= maxNameBytes) return true;
	return name.length <= maxNameBytes && Buffer.byteLength(name) <= maxNameBytes;
}

export function nameTooLong(limits: FieldLimits): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', `The name of a field may have at most ${limits.maxNameBytes} bytes.`);
}

/** A name for a message: quoted, without characters that could affect a terminal or a log. */
export function quoteName(name: string): string {
	return JSON.stringify(name).replace(/[\u007f-\u009f\u2028\u2029]/g, ' ');
}
