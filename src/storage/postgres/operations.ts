/** Runs the operations on submissions that both engines share; see `../submissions/operation.ts`. */

import { OutcomeUnknown, Unavailable } from '../errors.ts';
import { SEARCHED_JSON_CHARACTERS } from '../search-text.ts';
import { type Dialect, type Engine, type Operation, rows, type Value } from '../submissions/operation.ts';
import { numbers, type Runner, rowsOf, type Sql, strings } from './connection.ts';
import { moveCounts } from './counts.ts';
import { asStorageError, mayTryAgain } from './failures.ts';
import { storedText } from './search-hits.ts';
import { INBOX_TOTAL } from './writer/bounded-forms.ts';

const MAX_TRIES = 5;

export const DIALECT: Dialect = {
	list: (ids) => `{${ids.join()}}`,
	isIn: (column, parameter, kind = 'bigint') => `${column} = any(${parameter}::${kind}[])`,
	*insert(table, columns, all, end = '') {
		const lists = Object.values(columns).map((kind, i) => {
			const list = all.map((values) => values[i] as Value);
			return kind === 'text' ? strings(list as (string | null)[]) : numbers(list as (number | null)[]);
		});
		const arrays = Object.values(columns).map((kind, i) => `$${i + 1}::text::${kind}[]`);
		const names = Object.keys(columns).join();
		yield* rows(`insert into ${table} (${names}) select * from unnest(${arrays.join()}) ${end}`, lists);
	},
	usedIds: 'submissions',
	*index(all) {
		const texts = all.map(({ id, formId, data }) => [id, formId, storedText(data.slice(0, SEARCHED_JSON_CHARACTERS))]);
		yield* DIALECT.insert('search_texts', { id: 'bigint', form_id: 'bigint', text: 'text' }, texts);
	},
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
		write: (begin) => transact(sql, (tx) => runOn(tx, begin())),
		/** No fold goes between, and storing goes on meanwhile. */
		*holdCounts(formId) {
			const [form] = yield* rows<[number]>('select folded_to from forms where id = $1 for no key update', [formId]);
			return form && ((changes) => moveCounts(formId, form[0], changes));
		},
		*totalOf(formId) {
			const [form] = yield* rows<[number]>(`select ${INBOX_TOTAL}::bigint from forms f where f.id = $1`, [formId]);
			return form?.[0] ?? 0;
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

/** @throws OutcomeUnknown if the database was lost during the commit */
export function transact<T>(sql: Sql, work: (tx: Runner) => Promise<T>): Promise<T> {
	let isCommitting = false;
	const run = () =>
		sql.begin(async (tx) => {
			isCommitting = false;
			const result = await work(tx);
			isCommitting = true;
			return result;
		});
	return again(run).catch((error: unknown) => {
		throw isCommitting && error instanceof Unavailable ? new OutcomeUnknown(error.cause) : error;
	});
}
