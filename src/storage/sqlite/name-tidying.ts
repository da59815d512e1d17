/** Lists names that found no room once others have gone: all submissions of the list are counted again, a few per commit. */

import type { Database } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { conditionOf, type Place } from '../filters.ts';
import { namesOf } from '../rows.ts';
import type { CountedSubmission, FormIndex, NextSubmissions } from './form-index.ts';
import { PARTIAL_LISTS } from './name-list.ts';
import { inTransaction, type Writer } from './writer.ts';

/** Counted in one commit, in some milliseconds; the pause after it is a multiple of its duration. */
const AT_ONCE = { submissions: 200, characters: 500_000 };
const REST = 3;

/** Returns the function that does so; what it was cut off from goes on with the next call. */
export function createNameTidying(client: Database, { writer, index }: { writer: Writer; index: FormIndex }) {
	const sql = lazy(() => ({
		partial: client.prepare(PARTIAL_LISTS),
		form: client.prepare('select 1 from forms where id = ? and deleted_at is null'),
		ids: (['all', 'spam', 'pending'] as const).map((filter) =>
			client.prepare(
				`select id from submissions where form_id = ? and id >= ? and ${conditionOf({ filter })} order by id limit ${AT_ONCE.submissions}`,
			),
		),
		data: client.prepare('select data from submissions where id = ?'),
	}));
	let isRunning = false;

	function next(formId: number, place: Place, fromId: number): NextSubmissions {
		const ids = sql().ids[place]?.values(formId, fromId) as [number][];
		const submissions: CountedSubmission[] = [];
		let characters = 0;
		for (const [id] of ids) {
			if (characters > AT_ONCE.characters) break;
			const [[data]] = sql().data.values(id) as [[string]];
			characters += data.length;
			submissions.push({ id, names: namesOf(data) });
		}
		return { submissions, isEnd: submissions.length === ids.length && ids.length < AT_ONCE.submissions };
	}

	/** Returns whether there is more to count. The names of a form that is gone could not be written: the whole commit would fail. */
	function step(formId: number, place: Place): Promise<boolean> {
		return inTransaction(
			writer,
			() =>
				sql().form.values(formId).length > 0 &&
				index.countNames(formId, place, (fromId) => next(formId, place, fromId)),
		);
	}

	return async function tidyNames(): Promise<void> {
		if (isRunning) return;
		isRunning = true;
		try {
			for (const [formId, place] of sql().partial.values() as [number, Place][]) {
				let began = performance.now();
				while (await step(formId, place)) {
					await Bun.sleep(REST * (performance.now() - began));
					began = performance.now();
				}
			}
		} finally {
			isRunning = false;
		}
	};
}
