/**
 * Counts without counting: submissions are added up in blocks of about a thousand, behind the horizon, below which none appears
 * any more; the few since are counted when asked for. So storing one writes no counter, which others would wait for.
 */

import {
	COUNTED,
	COUNTERS,
	type Counts,
	conditionOf,
	countSql,
	moveOf,
	SIZE,
	toCounts,
	type View,
} from '../filters.ts';
import { FLAG_COLUMNS } from '../rows.ts';
import { type Operation, rows, type Transition } from '../submissions/operation.ts';
import { numbers, type Runner, rowsOf, type Sql } from './connection.ts';

export const BLOCK_SIZE = 1024;
const MAX_FORMS_COUNTED = 100_000;
/** The horizon is 1.5 seconds behind. */
const SETTLED_AFTER_MS = 2000;

/** In one statement, and so in one view: a fold may happen at any time. */
const COUNTS = `
	select f.id, t.tail, ${COUNTERS.map((name) => `f.${name} + t.${name}`).join(', ')}
	from forms f cross join lateral (select count(*) tail, ${COUNTED} from submissions where form_id = f.id and id >= f.folded_to) t
	where f.id = any($1::bigint[])`;

/** How many matching submissions of a form have an id below another: whole blocks, and what is counted of one part block. */
export function countBelow(view: View, { form, id }: { form: string; id: string }): string {
	const start = `(select case when ${id} >= f.folded_to then f.folded_to else coalesce((select max(first_id)
		from submission_blocks where form_id = f.id and first_id <= ${id}), 0) end start from forms f where f.id = ${form})`;
	return `(select coalesce((select sum(${countSql(view)}) from submission_blocks where form_id = ${form} and first_id < s.start), 0)::bigint
		+ (select count(*) from submissions where form_id = ${form} and id >= s.start and id < ${id} and ${conditionOf(view)})
		from ${start} s)`;
}

/** Folds all whole blocks below the horizon ($2). The form's row is locked: see `createCounts`. */
const FOLD = `
	with n as (select ${FLAG_COLUMNS}, (row_number() over (order by id) - 1) / ${BLOCK_SIZE} b from submissions
			where form_id = $1 and id >= (select folded_to from forms where id = $1) and id < $2),
		g as (select min(id) first_id, max(id) last_id, ${COUNTED} from n group by b having count(*) = ${BLOCK_SIZE}),
		w as (insert into submission_blocks (form_id, first_id, ${COUNTERS.join(', ')})
			select $1, first_id, ${COUNTERS.join(', ')} from g)
	update forms set folded_to = x.next, ${COUNTERS.map((name) => `${name} = forms.${name} + x.${name}`).join(', ')}
	from (select max(last_id) + 1 as next, ${COUNTERS.map((name) => `sum(${name})::bigint ${name}`).join(', ')} from g) x
	where forms.id = $1 and x.next is not null`;

interface CountsOptions {
	horizon(): Promise<number>;
	onError(error: unknown): void;
}

/** Folds what a form has below a settled id. */
export async function foldBelow(sql: Sql, formId: number, below: number): Promise<void> {
	await sql.begin(async (tx) => {
		// Storing goes on meanwhile; changes and other folds wait.
		const locked = await rowsOf(tx, 'select 1 from forms where id = $1 for no key update skip locked', [formId]);
		// A statement of its own, which sees what the last holder of the lock wrote.
		if (locked.length > 0) await rowsOf(tx, FOLD, [formId, below]);
	});
}

export type FormCounts = ReturnType<typeof createCounts>;

export function createCounts(sql: Sql, { horizon, onError }: CountsOptions) {
	const folding = new Map<number, Promise<void>>();
	/** Stored by this process since the last fold. */
	const arrived = new Map<number, number>();
	/** Folded when what arrived last is settled. */
	const due = new Set<number>();
	let timer: ReturnType<typeof setTimeout> | undefined;

	function foldSoon(formIds: readonly number[]): void {
		const idle = formIds.filter((id) => !folding.has(id));
		if (idle.length === 0) return;
		// Before the scans, and outside of their transactions.
		const below = horizon();
		for (const formId of idle) {
			const done = below
				.then((id) => foldBelow(sql, formId, id))
				.catch(onError)
				.finally(() => folding.delete(formId));
			folding.set(formId, done);
		}
	}

	function foldDue(): void {
		timer = undefined;
		foldSoon([...due]);
		due.clear();
	}

	return {
		/** To be called for each submission that this process stored. */
		count(formId: number): void {
			const count = (arrived.get(formId) ?? 0) + 1;
			arrived.set(formId, count % BLOCK_SIZE);
			if (count >= BLOCK_SIZE) {
				due.add(formId);
				timer ??= setTimeout(foldDue, SETTLED_AFTER_MS);
			}
			if (arrived.size > MAX_FORMS_COUNTED) arrived.clear();
		},
		async of(formIds: readonly number[], runner: Runner = sql): Promise<Map<number, Counts>> {
			const rows = await rowsOf<[id: number, tail: number, ...number[]]>(runner, COUNTS, [numbers(formIds)]);
			const found = new Map(formIds.map((id) => [id, toCounts()]));
			for (const [id, , ...counts] of rows) found.set(id, toCounts(counts));
			foldSoon(rows.filter(([, tail]) => tail >= 2 * BLOCK_SIZE).map(([id]) => id));
			return found;
		},
		async close(): Promise<void> {
			clearTimeout(timer);
			await Promise.all(folding.values());
		},
	};
}

/** The first block has all before the second: submissions that come before its first one too. */
const BEGIN_EARLIER = `update submission_blocks set first_id = $2 where form_id = $1 and first_id > $2
	and first_id = (select min(first_id) from submission_blocks where form_id = $1)`;

/** Counts blocks that have become too large anew, each as several. */
const SPLIT = `
	with big as (select first_id, next_id from (select *, lead(first_id, 1, $2::bigint) over (order by first_id) next_id
				from submission_blocks where form_id = $1) b where ${SIZE} >= ${2 * BLOCK_SIZE}),
		n as (select b.first_id begins, (row_number() over (partition by b.first_id order by id) - 1) / ${BLOCK_SIZE} part, ${FLAG_COLUMNS}
			from big b join submissions s on s.form_id = $1 and s.id >= b.first_id and s.id < b.next_id)
	insert into submission_blocks (form_id, first_id, ${COUNTERS.join(', ')})
		select $1, case when part = 0 then begins else min(id) end, ${COUNTED} from n group by begins, part
	on conflict (form_id, first_id) do update set ${COUNTERS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Moves the counts of what is folded. The form's row is locked; `foldedTo` was read behind that lock. */
export function* moveCounts(formId: number, foldedTo: number, changes: readonly Transition[]): Operation<void> {
	const folded = changes.filter(({ id }) => id < foldedTo);
	if (folded.length === 0) return;
	const moves = folded.map(({ before, after }) => moveOf(before, after));
	const arrived = folded.filter(({ before }) => !before).map(({ id }) => id);
	if (arrived.length > 0) yield* rows(BEGIN_EARLIER, [formId, arrived.reduce((a, b) => Math.min(a, b))]);
	const moved = `unnest($2::bigint[], ${COUNTERS.map((_, i) => `$${i + 3}::bigint[]`).join(', ')})`;
	const sums = COUNTERS.map((name) => `sum(${name})::bigint ${name}`).join(', ');
	const added = (to: string) => COUNTERS.map((name) => `${name} = ${to}.${name} + d.${name}`).join(', ');
	yield* rows(
		`with m as (select * from ${moved} m (id, ${COUNTERS.join(', ')})),
			b as (update submission_blocks b set ${added('b')}
				from (select (select max(first_id) from submission_blocks where form_id = $1 and first_id <= m.id) first_id, ${sums}
					from m group by 1) d where b.form_id = $1 and b.first_id = d.first_id)
		update forms set ${added('forms')} from (select ${sums} from m) d where forms.id = $1`,
		[formId, numbers(folded.map(({ id }) => id)), ...COUNTERS.map((name) => numbers(moves.map((move) => move[name])))],
	);
	if (arrived.length > 0) yield* rows(SPLIT, [formId, foldedTo]);
}
