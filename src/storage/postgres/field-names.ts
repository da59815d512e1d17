/**
 * Field names: each submission has a number that stands for the names of its fields, its shape. The names of a form are those of
 * the shapes that its submissions have, which an index finds without reading them.
 */

import { PLACES, type Place } from '../filters.ts';
import { namesOf } from '../rows.ts';
import type { Arrival, FieldNames, NewSubmission } from '../submission.ts';
import type { OwnColumns, Placed } from '../submissions/import.ts';
import { numbers, rowsOf, type Sql } from './connection.ts';

/** Limit per form. Submissions with others have the shape 0, and their names are not listed: a client could invent them without end. */
const MAX_SHAPES = 2000;
const MAX_LISTED_NAMES = 2000;
const MAX_KNOWN = 20_000;
const FORGET_AFTER_MS = 60_000;
/** Submissions that get their shape later, in one step. */
const RELISTED_AT_ONCE = 20;
const MAX_STEPS = 50;
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

const FULL = `select form_id from form_shapes group by form_id having count(*) >= ${MAX_SHAPES}`;
const hasAny = (form: string, shape: string) =>
	PLACES.map(
		(place) => `exists (select from submissions where form_id = ${form} and is_spam = ${place} and shape = ${shape})`,
	).join(' or ');
const REMOVE_UNUSED = `delete from form_shapes s where s.form_id = $1 and not (${hasAny('s.form_id', 's.shape')})`;
/** Forms with room, and with submissions that found none. */
const WAITING = `select f.id from forms f where (${hasAny('f.id', `${UNLISTED}`)})
	and (select count(*) from form_shapes s where s.form_id = f.id) < ${MAX_SHAPES}`;

type Named = Pick<NewSubmission, 'formId' | 'names'>;
type NamedArrival = Pick<Arrival, 'id'> & { row: Named };

export function createFieldNames(sql: Sql) {
	/** Shapes that are stored, by form and names. */
	let known = new Map<string, number>();
	/** Time from which on unlisted names may be listed again. */
	let forgetAt: number | undefined;
	let isTidying = false;

	async function store({ id, row: { formId, names } }: NamedArrival, text: string): Promise<number> {
		const shape = Number(BigInt.asUintN(Number(SHAPE_BITS), BigInt(Bun.hash(text)))) + 1;
		const values = [formId, shape, JSON.stringify(names), id];
		// Made by another server at this moment, it is seen by the second look.
		const isStored = (await rowsOf(sql, STORE, values)).length > 0 || (await rowsOf(sql, STORE, values)).length > 0;
		return isStored ? shape : UNLISTED;
	}

	async function makeShapes(arrivals: readonly NamedArrival[]): Promise<number[]> {
		const shapes: number[] = [];
		for (const arrival of arrivals) {
			const name = nameOf(arrival.row);
			let shape = known.get(name);
			if (shape === undefined) {
				shape = await store(arrival, name.slice(name.indexOf(' ')));
				if (known.size >= MAX_KNOWN) known = new Map();
				if (shape === UNLISTED) forgetAt ??= performance.now() + FORGET_AFTER_MS;
				known.set(name, shape);
			}
			shapes.push(shape);
		}
		return shapes;
	}

	/** The names of a shape that was removed while a server still used it: of one of its submissions. */
	async function restore(formId: number, { shape, place }: { shape: number; place: Place }): Promise<string[]> {
		const text = 'select id, data from submissions where form_id = $1 and is_spam = $2 and shape = $3 limit 1';
		const [row] = await rowsOf<[number, string]>(sql, text, [formId, place, shape]);
		if (!row) return [];
		const names = namesOf(row[1]);
		const values = [formId, shape, JSON.stringify(names), row[0]];
		await rowsOf(
			sql,
			'insert into form_shapes (form_id, shape, names, first_id) values ($1, $2, $3, $4) on conflict do nothing',
			values,
		);
		return names;
	}

	/** Gives their shape to some submissions that found no room. Returns whether there may be more, and room for them. */
	async function relist(formId: number): Promise<boolean> {
		const rows = await rowsOf<[number, string]>(
			sql,
			`select id, data from submissions where form_id = $1 and is_spam in (${PLACES.join()}) and shape = ${UNLISTED} limit ${RELISTED_AT_ONCE}`,
			[formId],
		);
		const ids = rows.map(([id]) => id);
		known = new Map();
		const shapes = await makeShapes(rows.map(([id, data]) => ({ id, row: { formId, names: namesOf(data) } })));
		await rowsOf(
			sql,
			`update submissions s set shape = x.shape from unnest($1::bigint[], $2::bigint[]) x (id, shape) where s.id = x.id`,
			[numbers(ids), numbers(shapes)],
		);
		return rows.length === RELISTED_AT_ONCE && !shapes.includes(UNLISTED);
	}

	/** The shapes of submissions to be stored, which are stored first if they are new. */
	function shapesOf(arrivals: readonly NamedArrival[]): number[] | Promise<number[]> {
		if (forgetAt !== undefined && performance.now() > forgetAt) {
			known = new Map();
			forgetAt = undefined;
		}
		const shapes = arrivals.map(({ row }) => known.get(nameOf(row)) ?? UNKNOWN);
		return shapes.includes(UNKNOWN) ? makeShapes(arrivals) : shapes;
	}

	return {
		shapesOf,
		/** The same of submissions to be imported. */
		async ownColumns(formId: number, placed: readonly Placed[]): Promise<OwnColumns> {
			const shapes = await shapesOf(placed.map(({ id, row: { names } }) => ({ id, row: { formId, names } })));
			return { columns: { shape: 'bigint' }, values: shapes.map((shape) => [shape]) };
		},
		/** The names of the submissions in a place, in the order first seen. */
		async list(formId: number, place: Place): Promise<FieldNames> {
			const rows = await rowsOf<[number, string | null]>(sql, SHAPES, [formId, place]);
			const all = new Set<string>();
			for (const [shape, text] of rows) {
				if (shape === UNLISTED) continue;
				const names = text === null ? await restore(formId, { shape, place }) : (JSON.parse(text) as string[]);
				for (const name of names) all.add(name);
			}
			const isPartial = all.size > MAX_LISTED_NAMES || rows.some(([shape]) => shape === UNLISTED);
			return { names: [...all].slice(0, MAX_LISTED_NAMES), isPartial };
		},
		/** Removes the shapes that no submission of a form has any more. */
		async forget(formId: number): Promise<void> {
			await rowsOf(sql, REMOVE_UNUSED, [formId]);
			known = new Map();
		},
		/** Shapes that no submission has any more make room for those that found none. */
		async tidy(): Promise<void> {
			if (isTidying) return;
			isTidying = true;
			try {
				for (const [formId] of await rowsOf<[number]>(sql, FULL)) await rowsOf(sql, REMOVE_UNUSED, [formId]);
				for (const [formId] of await rowsOf<[number]>(sql, WAITING))
					for (let step = 0; step < MAX_STEPS && (await relist(formId)); step++);
			} finally {
				isTidying = false;
			}
		},
	};
}

function nameOf({ formId, names }: Named): string {
	return `${formId} ${JSON.stringify(names)}`;
}
