/**
 * Field names: each submission has a number that stands for the names of its fields, its shape. The names of a form are those of
 * the shapes that its submissions have, which an index finds without reading them.
 */

import type { FieldNames, NewSubmission } from '../submission.ts';
import { rowsOf, type Sql } from './connection.ts';

/** Of a form. Submissions with others have the shape 0, and their names are not listed: a client could invent them without end. */
const MAX_SHAPES = 2000;
const MAX_LISTED_NAMES = 2000;
const MAX_KNOWN = 20_000;
const UNLISTED = 0;
const UNKNOWN = -1;
/** Integers that JavaScript holds exactly. */
const SHAPE_BITS = 52n;

const STORE = `
	with made as (insert into form_shapes (form_id, shape, names, first_id) select $1, $2, $3, $4
		where (select count(*) from form_shapes where form_id = $1) < ${MAX_SHAPES} on conflict do nothing returning 1)
	select 1 from made union all select 1 from form_shapes where form_id = $1 and shape = $2`;

/** Skips from shape to shape in the index. */
const SHAPES = `
	with recursive present (shape) as (
		(select shape from submissions where form_id = $1 and is_spam = $2 order by shape limit 1)
		union all
		select (select shape from submissions where form_id = $1 and is_spam = $2 and shape > present.shape order by shape limit 1)
			from present where present.shape is not null)
	select p.shape, s.names from present p left join form_shapes s on s.form_id = $1 and s.shape = p.shape
		where p.shape is not null order by s.first_id, s.shape`;

export function createFieldNames(sql: Sql, { maxListedNames = MAX_LISTED_NAMES } = {}) {
	/** Shapes that are stored, by form and names. */
	let known = new Map<string, number>();

	async function store(
		formId: number,
		{ id, names }: Pick<NewSubmission, 'id' | 'names'>,
		text: string,
	): Promise<number> {
		const shape = Number(BigInt.asUintN(Number(SHAPE_BITS), BigInt(Bun.hash(text)))) + 1;
		const values = [formId, shape, JSON.stringify(names), id];
		// Made by another server at this moment, it is seen by the second look.
		const isStored = (await rowsOf(sql, STORE, values)).length > 0 || (await rowsOf(sql, STORE, values)).length > 0;
		return isStored ? shape : UNLISTED;
	}

	async function makeShapes(rows: readonly NewSubmission[]): Promise<number[]> {
		const shapes: number[] = [];
		for (const row of rows) {
			const name = nameOf(row);
			let shape = known.get(name);
			if (shape === undefined) {
				shape = await store(row.formId, row, name.slice(name.indexOf(' ')));
				if (known.size >= MAX_KNOWN) known = new Map();
				known.set(name, shape);
			}
			shapes.push(shape);
		}
		return shapes;
	}

	return {
		/** The shapes of submissions to be stored, which are stored first if they are new. */
		shapesOf(rows: readonly NewSubmission[]): number[] | Promise<number[]> {
			const shapes = rows.map((row) => known.get(nameOf(row)) ?? UNKNOWN);
			return shapes.includes(UNKNOWN) ? makeShapes(rows) : shapes;
		},
		/** The names of all submissions but spam, or of spam, in the order first seen. */
		async list(formId: number, isSpam: boolean): Promise<FieldNames> {
			const rows = await rowsOf<[number, string | null]>(sql, SHAPES, [formId, isSpam ? 1 : 0]);
			const all = [...new Set(rows.flatMap(([, names]) => (names === null ? [] : (JSON.parse(names) as string[]))))];
			const isPartial = all.length > maxListedNames || rows.some(([, names]) => names === null);
			return { names: all.slice(0, maxListedNames), isPartial };
		},
	};
}

function nameOf({ formId, names }: NewSubmission): string {
	return `${formId} ${JSON.stringify(names)}`;
}
