/** Keeps the lists of field names right where there are more names than are listed: by a count of all, when a list is read. */

import type { Reader } from '../reader.ts';
import type { Selection } from '../submission.ts';
import type { Clock } from './clock.ts';
import type { NamePiece } from './count-names.ts';
import type { FormIndex } from './form-index.ts';
import { createNameCounter, type NameCounter } from './name-count.ts';
import type { NameRelisting } from './name-relist.ts';
import type { SqliteReads } from './reader-calls.ts';

/** How long a caller waits for a count; forms of some 100,000 submissions are counted by then. */
const WAIT_MS = 1000;
/** A count that takes longer than that is not repeated before ten times as long. */
const REST = 10;
/** How often what arrived during a count is counted after it, until little enough is left. */
const MAX_ROUNDS = 10;

export type NameRecount = ReturnType<typeof createNameRecount>;

interface NameRecountSources {
	lists: Pick<FormIndex, 'staleNames'> & NameRelisting;
	clock: Pick<Clock, 'end'>;
	reader: Pick<Reader<SqliteReads>, 'call'>;
}

export function createNameRecount({ lists, clock, reader }: NameRecountSources) {
	const running = new Map<string, Promise<void>>();
	const restsUntil = new Map<string, number>();
	let latest: Promise<void> = Promise.resolve();
	let isClosed = false;

	/** Adds up a range of submissions; `false` if the result would be stale, because some were removed meanwhile. */
	async function addUp(counter: NameCounter, selection: Selection, isWanted: () => boolean): Promise<boolean> {
		let rest: Selection | undefined = selection;
		while (rest) {
			const piece: NamePiece = await reader.call('countNames', rest);
			if (!isWanted()) return false;
			counter.add(piece.counts);
			rest = piece.rest;
		}
		return true;
	}

	async function recount(formId: number, isSpam: boolean): Promise<void> {
		const version = lists.staleNames(formId, isSpam);
		if (version === undefined) return;
		const isWanted = () => !isClosed && lists.staleNames(formId, isSpam) === version;
		const counter = createNameCounter();
		let fromId = 0;
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const beforeId = clock.end();
			await lists.committed();
			const selection: Selection = { formId, filter: isSpam ? 'spam' : 'all', fromId, beforeId };
			if (!(await addUp(counter, selection, isWanted))) return;
			fromId = beforeId;
			if (await lists.relist(formId, { isSpam, version, fromId, counter })) return;
		}
	}

	async function recountTimed(formId: number, { isSpam, key }: { isSpam: boolean; key: string }): Promise<void> {
		const started = performance.now();
		try {
			if (!isClosed) await recount(formId, isSpam);
		} catch {
			// The thread is busy: the next look begins anew.
		} finally {
			const ended = performance.now();
			if (ended - started > WAIT_MS) restsUntil.set(key, ended + REST * (ended - started));
			running.delete(key);
		}
	}

	function begin(formId: number, { isSpam, key }: { isSpam: boolean; key: string }): Promise<void> | undefined {
		if (isClosed || performance.now() < (restsUntil.get(key) ?? 0)) return undefined;
		restsUntil.delete(key);
		latest = latest.then(() => recountTimed(formId, { isSpam, key }));
		running.set(key, latest);
		return latest;
	}

	return {
		/** To be awaited before a list is used: it is counted anew if need be, for a moment at most. */
		settle(formId: number, isSpam: boolean): Promise<void> | undefined {
			if (lists.staleNames(formId, isSpam) === undefined) return undefined;
			const key = `${formId} ${isSpam}`;
			const underWay = running.get(key) ?? begin(formId, { isSpam, key });
			return underWay && withinMoment(underWay);
		},
		isRunning: () => running.size > 0,
		/** Resolves once nothing is in flight any more. */
		async close(): Promise<void> {
			isClosed = true;
			await latest;
		},
	};
}

async function withinMoment(underWay: Promise<void>): Promise<void> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const moment = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, WAIT_MS);
	});
	await Promise.race([underWay, moment]);
	clearTimeout(timer);
}
