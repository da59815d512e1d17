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
	/** The JSON texts of the values of each name. */
	const fields = new Map<string, string[]>();

	return {
		/** @throws {AppError} PAYLOAD_TOO_LARGE when the name is too long. */
		add(name: string, value: string): void {
			checkName(name, limits);
			const json = JSON.stringify(value);
			const others = fields.get(name);
			if (others) others.push(json);
			else fields.set(name, [json]);
		},

		/** Several values of a name are a list. */
		fields: (): PostedField[] =>
			Array.from(fields, ([name, [json = '', ...others]]) => ({
				name,
				json: others.length === 0 ? json : `[${[json, ...others].join(',')}]`,
			})),
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
