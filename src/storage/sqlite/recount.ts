/**
 * Counts again what versions before could have counted wrongly, because submissions with files were stored behind others that came
 * later: once, behind everything else, a piece at a time. What is right stays as it is, so lists are exact meanwhile.
 */

import type { Database } from 'bun:sqlite';
import type { Log } from '../../log/log.ts';
import { lazy } from '../../tasks/lazy.ts';
import { repeat } from '../../tasks/repeat.ts';
import { plural } from '../../text/plural.ts';
import type { FormIndex } from './form-index.ts';
import type { SearchIndex } from './search-index.ts';
import { inTransaction, type Writer } from './writer.ts';

/** Among the server's values, set by the migration: all that is derived is to be counted again. */
export const RECOUNT_DUE = 'recount_due';
/** A start is not to wait for it. */
const FIRST_AFTER_MS = 150;
/** Blocks counted in one commit, in some milliseconds; the pause after it is a multiple of its duration. */
const BLOCKS_AT_ONCE = 16;
const REST = 2;
const RETRY_AFTER_MS = 10_000;

interface Sources {
	writer: Writer;
	index: Pick<FormIndex, 'recount' | 'endRecount'>;
	search: Pick<SearchIndex, 'addMissing'>;
	log: Log | undefined;
}

/** @returns How to stop it; the next start begins anew. */
export function startRecount(client: Database, { writer, index, search, log }: Sources): () => void {
	const isDue = client.query('select 1 from server_values where name = ?').values(RECOUNT_DUE).length > 0;
	if (!isDue) return () => {};
	const nextForm = lazy(() =>
		client.prepare('select id, slug from forms where id > ? and deleted_at is null order by id limit 1'),
	);
	const found = { forms: 0, wrongForms: 0, missing: 0 };
	let formId = 0;
	let block = 0;
	let wrongBlocks = 0;
	let segment: number | undefined = 0;

	/** Returns whether there is more to count. */
	async function countSome(): Promise<boolean> {
		const [form] = nextForm().values(formId) as [number, string][];
		if (!form) return false;
		const [id, slug] = form;
		let isEnd = false;
		let wrong = 0;
		await inTransaction(writer, () => {
			wrong = 0;
			for (let at = block; at < block + BLOCKS_AT_ONCE; at++) {
				const isWrong = index.recount(id, at);
				isEnd = isWrong === undefined;
				if (isEnd) break;
				if (isWrong) wrong++;
			}
			if (isEnd && index.endRecount(id, wrongBlocks + wrong > 0)) wrong ||= 1;
		});
		block += BLOCKS_AT_ONCE;
		wrongBlocks += wrong;
		if (!isEnd) return true;
		found.forms++;
		if (wrongBlocks > 0) {
			found.wrongForms++;
			log?.warn(`The counts of the form ${slug} were wrong and have been counted again.`);
		}
		formId = id;
		block = 0;
		wrongBlocks = 0;
		return true;
	}

	/** Returns whether there may be more that is missing. */
	async function searchSome(): Promise<boolean> {
		if (segment === undefined) return false;
		const { added, next } = await search.addMissing(segment);
		found.missing += added;
		segment = next;
		return true;
	}

	async function finish(): Promise<void> {
		await inTransaction(writer, () => client.query('delete from server_values where name = ?').run(RECOUNT_DUE));
		const missing = found.missing > 0 ? `; the search lacked ${plural(found.missing, 'submission')}` : '';
		log?.info(`${plural(found.forms, 'form')} counted again: ${found.wrongForms} had wrong counts${missing}.`);
	}

	async function step(): Promise<number> {
		const started = performance.now();
		try {
			if ((await countSome()) || (await searchSome())) return REST * (performance.now() - started);
			await finish();
			void counting.stop();
		} catch (cause) {
			log?.warn('The forms could not be counted again; it is tried again.', { cause });
		}
		return RETRY_AFTER_MS;
	}

	log?.info('All forms are counted again, behind everything else: an earlier version could count them wrongly.');
	const counting = repeat(step, FIRST_AFTER_MS);
	return () => void counting.stop();
}
