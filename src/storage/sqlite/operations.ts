/** Runs the operations on submissions that both engines share; see `../submissions/operation.ts`. */

import type { Database, Statement } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { remember } from '../../tasks/remember.ts';
import { placeOf } from '../filters.ts';
import { namesOf, type Row } from '../rows.ts';
import { type Dialect, type Engine, type Operation, rows, type Transition } from '../submissions/operation.ts';
import type { FormIndex } from './form-index.ts';
import { inTransaction, type Writer } from './writer.ts';

export const DIALECT: Dialect = {
	list: (ids) => JSON.stringify(ids),
	isIn: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
	forUpdate: '',
	records: (columns) => {
		const members = Object.keys(columns).map((name) => `value ->> '${name}' ${name}`);
		return `(select ${members.join(', ')} from json_each($1))`;
	},
	greatest: 'max',
	utf8: 'cast(data as blob)',
	*insert(table, columns, all) {
		const names = Object.keys(columns);
		const text = `insert into ${table} (${names.join()}) values (${names.map((_, i) => `$${i + 1}`).join()})`;
		for (const values of all) yield* rows(text, values);
	},
	// An id that the search index still holds would have two texts.
	usedIds: '(select id from submissions union all select id from search_removals)',
	*index(all) {
		const ids = JSON.stringify(all.map(({ id }) => id));
		yield* rows('insert or ignore into search_additions (id) select value from json_each($1)', [ids]);
	},
	// The rest is left to the search index, which is behind anyway.
	unindex: 'insert or ignore into search_removals (id) select value from json_each($1)',
};

/** @returns Runs an operation at once. Its statements stay prepared: there are some tens, in all combinations of flags. */
function createRun(client: Database) {
	const prepare = remember((text) => client.prepare(numbered(text)), 1000, Number.POSITIVE_INFINITY);
	return <T>(operation: Operation<T>): T => runOn(prepare, operation);
}

function runOn<T>(prepare: (text: string) => Statement, operation: Operation<T>): T {
	let step = operation.next();
	while (!step.done) step = operation.next(prepare(step.value.text).values(...step.value.values) as Row[]);
	return step.value;
}

/** The plus is explained in `connection.ts`. */
const numbered = (text: string) => text.replace(/\$(\d+)/g, '+?$1');

/** Runs an operation by statements that are closed with the connection. */
export function runOnce<T>(client: Database, operation: Operation<T>): T {
	return runOn((text) => client.query(numbered(text)), operation);
}

interface Sources {
	reader: Database;
	writer: Writer;
	index: FormIndex;
}

export function createEngine(client: Database, { reader, writer, index }: Sources): Engine {
	const [run, read] = [createRun(client), createRun(reader)];
	const data = lazy(() => client.prepare('select data from submissions where id = ?'));

	/** Moves of the counts of the operation that runs: they are made at its end, because no savepoint undoes them if a statement fails. */
	let moves: (() => void)[] = [];

	/** Each place has a list of names: a submission that stays where it is changes none. */
	function planMove(formId: number, { id, before, after }: Transition): void {
		const stays = before && after && placeOf(before) === placeOf(after);
		const names = stays ? [] : namesOf(data().values(id)[0]?.[0] as string);
		moves.push(() => index.change(formId, { id, names }, before, after));
	}

	function runCounted<T>(operation: Operation<T>): T {
		moves = [];
		const result = run(operation);
		for (const move of moves) move();
		return result;
	}

	return {
		dialect: DIALECT,
		read: async (operation) => read(operation),
		write: (begin) => inTransaction(writer, () => runCounted(begin())),
		// biome-ignore lint/correctness/useYield: no statement is needed
		*holdCounts(formId) {
			// biome-ignore lint/correctness/useYield: what is counted is written with the commit
			return function* (changes) {
				for (const change of changes) planMove(formId, change);
			};
		},
		// biome-ignore lint/correctness/useYield: it is in memory
		*totalOf(formId) {
			return index.totals(formId).total;
		},
	};
}
