/** Gathers posted name and value pairs; names that repeat become one field, an array in the order sent. */

import { checkName, type FieldLimits } from './field-limits.ts';

/** One posted field: its name, and its value as JSON text exactly as it is stored and answered. */
export interface Field {
	name: string;
	json: string;
}

/** Makes an empty list; a field keeps the place where its name was first seen. */
export function createFieldList(limits: FieldLimits) {
	const fields: Field[] = [];
	const places = new Map<string, number>();
	let repeats: Map<number, string[]> | undefined;

	function repeat(place: number, json: string): void {
		repeats ??= new Map();
		const values = repeats.get(place);
		if (values) values.push(json);
		else repeats.set(place, [(fields[place] as Field).json, json]);
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

		fields(): Field[] {
			for (const [place, values] of repeats ?? []) (fields[place] as Field).json = `[${values.join(',')}]`;
			return fields;
		},
	};
}
