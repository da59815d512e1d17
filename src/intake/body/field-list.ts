/** Collects name and value pairs; a repeated name becomes one field, an array in the order sent. */

import { checkName, type FieldLimits } from './field-limits.ts';

/** One field: its name, and the JSON text of its value exactly as it is stored and returned. */
export interface Field {
	name: string;
	json: string;
}

/** Makes an empty list, in the order in which names first appear. */
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
