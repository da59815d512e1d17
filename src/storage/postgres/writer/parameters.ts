/** The parameters of a statement that is built once and sent for many batches: each list of values goes as one text. */

import type { Value } from '../../submissions/operation.ts';
import { numbers, strings } from '../connection.ts';

export type Parameter<Batch> = (batch: Batch) => Value;

/** By the names of columns: their kind, and the value in a row. `json` needs no quotes in a list. */
export type ColumnsOf<Row> = Readonly<
	Record<string, readonly [kind: keyof typeof LISTS, of: (row: Row) => Value | undefined]>
>;

/** No JSON text holds it, except as its escape. */
const SEPARATOR = '\u001e';
const ESCAPED = '\\u001e';

/** How a list becomes a text, and that an array. */
const LISTS = {
	number: { text: (list: Value[]) => numbers(list as number[]), array: (text: string) => `${text}::bigint[]` },
	text: { text: (list: Value[]) => strings(list as string[]), array: (text: string) => `${text}::text[]` },
	json: {
		text: (list: Value[]) => list.map((json) => withoutSeparator(json as string)).join(SEPARATOR),
		array: (text: string) => `string_to_array(${text}::text, e'\\x1e')`,
	},
};

export function createParameters<Batch>() {
	const parameters: Parameter<Batch>[] = [];
	const add = (of: Parameter<Batch>) => `$${parameters.push(of)}`;
	return {
		parameters,
		number: (of: (batch: Batch) => number) => `${add((batch) => `${of(batch)}`)}::bigint`,
		text: (of: (batch: Batch) => string) => `${add(of)}::text`,
		numbers: (of: (batch: Batch) => readonly number[]) => LISTS.number.array(add((batch) => numbers(of(batch)))),
		/** The rows of a batch, to select from. */
		rows<Row>(columns: ColumnsOf<Row>, { of, as }: { of: (batch: Batch) => readonly Row[]; as: string }): string {
			const arrays = Object.values(columns).map(([kind, pick]) =>
				LISTS[kind].array(add((batch) => listOf(of(batch), kind, pick))),
			);
			return `unnest(${arrays.join(', ')}) ${as} (${columnNames(columns)})`;
		},
	};
}

export function columnNames<Row>(columns: ColumnsOf<Row>): string {
	return Object.keys(columns).join(', ');
}

/** A shorter array is padded with nulls. */
function listOf<Row>(rows: readonly Row[], kind: keyof typeof LISTS, of: (row: Row) => Value | undefined): string {
	const list = rows.map((row) => of(row) ?? null);
	return list.every((value) => value === null) ? '{}' : LISTS[kind].text(list);
}

function withoutSeparator(json: string): string {
	return json.includes(SEPARATOR) ? json.replaceAll(SEPARATOR, ESCAPED) : json;
}
