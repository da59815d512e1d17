/** Runs the operations on submissions that both engines share; see `../submissions/operation.ts`. */

import { type Dialect, type Engine, type Operation, rows } from '../submissions/operation.ts';
import { numbers, type Runner, rowsOf, type Sql } from './connection.ts';
import { moveCounts } from './counts.ts';
import { asStorageError, mayTryAgain } from './failures.ts';

const MAX_TRIES = 5;

export const DIALECT: Dialect = {
	list: numbers,
	isIn: (column, parameter) => `${column} = any(${parameter}::bigint[])`,
	forUpdate: 'for update',
	records: (columns) => {
		const members = Object.entries(columns).map(([name, kind]) => `${name} ${kind}`);
		// A text, because the driver makes JSON of what it takes for JSON.
		return `(select * from jsonb_to_recordset($1::text::jsonb) as r (${members.join(', ')}))`;
	},
	greatest: 'greatest',
	utf8: "convert_to(data, 'UTF8')",
	unindex: 'delete from search_texts where id = any($1::bigint[])',
	afterSweep: 'delete from form_shapes where form_id = $1',
};

export async function runOn<T>(sql: Runner, operation: Operation<T>): Promise<T> {
	let step = operation.next();
	while (!step.done) step = operation.next(await rowsOf(sql, step.value.text, step.value.values));
	return step.value;
}

export function createEngine(sql: Sql): Engine {
	return {
		dialect: DIALECT,
		read: (operation) => runOn(sql, operation),
		write: (begin) => again(() => sql.begin((tx) => runOn(tx, begin()))),
		/** No fold goes between, and storing goes on meanwhile. */
		*holdCounts(formId) {
			const [form] = yield* rows<[number]>('select folded_to from forms where id = $1 for no key update', [formId]);
			return form && ((changes) => moveCounts(formId, form[0], changes));
		},
	};
}

/** Transactions that stood in each other's way were rolled back, and run anew. */
export async function again<T>(run: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await run();
		} catch (error) {
			if (!mayTryAgain(error) || tries >= MAX_TRIES) throw asStorageError(error);
		}
	}
}
