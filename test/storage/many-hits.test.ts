/** Searches for words that thousands of submissions have: pages and totals agree with a look at each, on each engine. */

import { describe, expect, test } from 'bun:test';
import { FILTERS, type Filter } from '../../src/storage/filters.ts';
import type { Selection } from '../../src/storage/submission.ts';
import { forms } from '../../src/storage/tables.ts';
import { ENGINES } from './engines.ts';

const FORM = 7;
const OTHER_FORM = 8;
const ROWS = 12_000;
/** Tells whether a submission has a word, by its place from the oldest. */
const WORDS: Record<string, (i: number) => boolean> = {
	everywhere: () => true,
	formerly: (i) => i < 6000,
	lately: (i) => i >= 6000,
	often: (i) => i % 2 === 0,
	sometimes: (i) => i % 50 === 0,
	once: (i) => i === 11,
	nowhere: () => false,
};
const isSpam = (i: number) => i % 20 === 7;
const isPending = (i: number) => i % 20 === 8;
const isInInbox = (i: number) => !isSpam(i) && !isPending(i);
/** None of the newest thousands is unread. */
const isRead = (i: number) => i % 3 !== 0 || i > 8000;
const isStarred = (i: number) => i % 100 === 50;
const MATCHES: Record<Filter, (i: number) => boolean> = {
	all: isInInbox,
	unread: (i) => isInInbox(i) && !isRead(i),
	starred: (i) => isInInbox(i) && isStarred(i),
	spam: isSpam,
	pending: isPending,
};

describe.each(Object.entries(ENGINES))('%s', (_name, createPlace) => {
	async function fill() {
		const storage = await (await createPlace())();
		const row = { mode: 'live', name: 'n' } as const;
		await storage.batch((tx) => [
			tx.insert(forms).values([
				{ ...row, id: FORM, slug: 'large' },
				{ ...row, id: OTHER_FORM, slug: 'other' },
			]),
		]);
		const places = Array.from({ length: ROWS }, (_, i) => i);
		const append = (formId: number, i: number) =>
			storage.submissions.append({
				...{ formId, names: ['a'], subject: null, replyTo: null },
				data: JSON.stringify({
					a: Object.keys(WORDS)
						.filter((word) => WORDS[word]?.(i))
						.join(' '),
				}),
				spamReason: isSpam(i) ? 'honeypot' : null,
				addressKey: isPending(i) ? 'address' : null,
			});
		const ids = await Promise.all(places.map((i) => append(FORM, i)));
		await Promise.all(places.slice(0, 100).map((i) => append(OTHER_FORM, i)));
		const idsOf = (is: (i: number) => boolean) =>
			places.filter((i) => !isSpam(i) && is(i)).map((i) => ids[i] as number);
		await storage.submissions.change(FORM, idsOf(isRead), { isRead: true });
		await storage.submissions.change(FORM, idsOf(isStarred), { isStarred: true });
		await storage.search.catchUp();
		return { storage, ids };
	}

	test('pages, totals and ids are those of a look at each', async () => {
		const { storage, ids } = await fill();
		const { submissions } = storage;
		const selections = Object.keys(WORDS).flatMap((word) =>
			FILTERS.flatMap((filter): Selection[] => [
				{ formId: FORM, filter, words: [word] },
				{ formId: FORM, filter, words: [word, 'every'], fromId: ids[1000] as number, beforeId: ids[11_000] as number },
			]),
		);
		for (const selection of selections) {
			const { filter, words = [], fromId = 0, beforeId = Infinity } = selection;
			const isHit = (id: number, i: number) =>
				MATCHES[filter](i) && WORDS[`${words[0]}`]?.(i) && id >= fromId && id < beforeId;
			const oldestFirst = ids.filter(isHit);
			const total = oldestFirst.length;
			expect(await submissions.count(selection)).toBe(total);
			for (const order of ['asc', 'desc'] as const) {
				const all = order === 'asc' ? oldestFirst : oldestFirst.toReversed();
				expect(await submissions.ids(selection, { order, limit: 200 })).toEqual(all.slice(0, 200));
				for (const offset of [0, 1, Math.floor(total / 2), Math.max(0, total - 5), total]) {
					const page = await submissions.list({ ...selection, order, limit: 10, offset });
					expect([page.total, page.rows.map(({ id }) => id)]).toEqual([total, all.slice(offset, offset + 10)]);
				}
			}
		}
		await storage.close();
	}, 120_000);

	test('pages near the ends of a list are found where few match', async () => {
		const { storage, ids } = await fill();
		for (const filter of FILTERS) {
			const oldestFirst = ids.filter((_, i) => MATCHES[filter](i));
			for (const order of ['asc', 'desc'] as const) {
				const all = order === 'asc' ? oldestFirst : oldestFirst.toReversed();
				for (const offset of [0, 7, 100]) {
					const { rows, total } = await storage.submissions.list({ formId: FORM, filter, order, limit: 50, offset });
					expect([total, rows.map(({ id }) => id)]).toEqual([all.length, all.slice(offset, offset + 50)]);
				}
			}
		}
		await storage.close();
	}, 60_000);
});
