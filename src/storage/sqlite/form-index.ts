/**
 * What is known of each form's submissions without reading them: counts of blocks of about a thousand, and the
 * field names. Held in memory once a form was used, and written in the transaction of the change that moved it.
 */

import type { Database } from 'bun:sqlite';
import type { Counts, Flags } from '../submission.ts';
import {
	addToNames,
	MAX_LISTED_NAMES,
	type NameCount,
	type NameList,
	prepareNameStatements,
	readNames,
	relistNames,
	writeNames,
} from './name-list.ts';

export const BLOCK_SIZE = 1024;
const MAX_FORMS_IN_MEMORY = 1000;

export interface CountedSubmission {
	id: number;
	names: readonly string[];
}

export type Counter = keyof Counts;

export interface Block extends Counts {
	firstId: number;
}

/** Submissions one after the other with the same field names, as a form sends them: counted, but not yet name by name. */
interface Run {
	names: readonly string[];
	isSpam: boolean;
	length: number;
}

interface FormState {
	blocks: Block[];
	/** The sums of all blocks. */
	totals: Counts;
	inboxNames: NameList;
	spamNames: NameList;
	run: Run | undefined;
	moved: Counts;
	dirtyBlocks: Set<Block>;
}

export type FormIndex = ReturnType<typeof createFormIndex>;

export function createFormIndex(client: Database, { maxListedNames = MAX_LISTED_NAMES } = {}) {
	const states = new Map<number, FormState>();
	const dirtyForms = new Set<number>();
	const withoutFiles = new Set<number>();
	const sql = prepareStatements(client);
	const nameSql = prepareNameStatements(client);

	function load(formId: number): FormState {
		const rows = sql.readBlocks.values(formId) as [number, number, number, number, number][];
		const blocks = rows.map(([firstId, total, unread, starred, spam]) => ({ firstId, total, unread, starred, spam }));
		const state: FormState = {
			blocks,
			totals: sumOf(blocks),
			inboxNames: readNames(nameSql, formId, 0),
			spamNames: readNames(nameSql, formId, 1),
			run: undefined,
			moved: noCounts(),
			dirtyBlocks: new Set(),
		};
		if (states.size >= MAX_FORMS_IN_MEMORY) forgetOldest();
		states.set(formId, state);
		return state;
	}

	function forgetOldest(): void {
		for (const formId of states.keys()) {
			if (dirtyForms.has(formId)) continue;
			states.delete(formId);
			return;
		}
	}

	function stateOf(formId: number): FormState {
		return states.get(formId) ?? load(formId);
	}

	function write(formId: number, state: FormState): void {
		endRun(state);
		const { total, unread, starred, spam } = state.moved;
		sql.moveCounts.run(total, unread, starred, spam, formId);
		for (const block of state.dirtyBlocks) {
			sql.writeBlock.run(formId, block.firstId, block.total, block.unread, block.starred, block.spam);
		}
		writeNames(nameSql, state.inboxNames, { formId, isSpam: 0 });
		writeNames(nameSql, state.spamNames, { formId, isSpam: 1 });
		state.moved = noCounts();
		state.dirtyBlocks.clear();
	}

	function endRun(state: FormState): void {
		const { run } = state;
		state.run = undefined;
		if (run) changeNames(state, run, run.length);
	}

	function changeNames(state: FormState, { names, isSpam }: Omit<Run, 'length'>, change: number): void {
		addToNames(isSpam ? state.spamNames : state.inboxNames, names, { change, max: maxListedNames });
	}

	function countNames(state: FormState, names: readonly string[], isSpam: boolean, sign: 1 | -1): void {
		const { run } = state;
		if (sign === 1 && run && run.isSpam === isSpam && haveSameItems(run.names, names)) {
			run.length++;
			return;
		}
		endRun(state);
		if (sign === 1) state.run = { names, isSpam, length: 1 };
		else changeNames(state, { names, isSpam }, -1);
	}

	function namesOf(formId: number, isSpam: boolean): NameList {
		const state = stateOf(formId);
		return isSpam ? state.spamNames : state.inboxNames;
	}

	return {
		/** Counts a submission in (`sign` 1) or out (-1); to be called inside the writer's transaction. */
		count(formId: number, { id, names }: CountedSubmission, flags: Flags, sign: 1 | -1): void {
			const state = stateOf(formId);
			dirtyForms.add(formId);
			const block = blockOf(state, id, sign);
			state.dirtyBlocks.add(block);
			addCounts(state.totals, flags, sign);
			addCounts(state.moved, flags, sign);
			addCounts(block, flags, sign);
			countNames(state, names, flags.isSpam, sign);
		},
		/** Writes what was counted since the last call. */
		flush(): void {
			for (const formId of dirtyForms) write(formId, stateOf(formId));
			dirtyForms.clear();
		},
		/** Forgets everything held in memory, after a rollback or when another process wrote. */
		forget(): void {
			states.clear();
			dirtyForms.clear();
			withoutFiles.clear();
		},
		/** Forms that are known to have no files. */
		withoutFiles,
		/** The sums of all blocks of a form. Not to be changed by the caller. */
		totals(formId: number): Readonly<Counts> {
			return stateOf(formId).totals;
		},
		/** Oldest first. Not to be changed by the caller. */
		blocks(formId: number): readonly Block[] {
			return stateOf(formId).blocks;
		},
		/** The field names of all submissions but spam, or of spam, in the order first seen, as a JSON array. */
		namesJson(formId: number, isSpam: boolean): string {
			const list = namesOf(formId, isSpam);
			list.json ??= JSON.stringify([...list.counts.keys()]);
			return list.json;
		},
		/** Whether there may be submissions with names that are not listed. */
		hasUnlistedNames(formId: number, isSpam: boolean): boolean {
			return namesOf(formId, isSpam).overflow !== false;
		},
		/** The version of a list that a recount may change; `undefined` if it is as it should be. */
		staleNames(formId: number, isSpam: boolean): number | undefined {
			const { isStale, version } = namesOf(formId, isSpam);
			return isStale ? version : undefined;
		},
		/** Lists the names anew, by a count of all submissions; to be called inside the writer's transaction. */
		relistNames(formId: number, { isSpam, ...count }: NameCount & { isSpam: boolean }): void {
			const state = stateOf(formId);
			endRun(state);
			dirtyForms.add(formId);
			relistNames(isSpam ? state.spamNames : state.inboxNames, count, maxListedNames);
		},
	};
}

function prepareStatements(client: Database) {
	return {
		readBlocks: client.prepare(
			'select first_id, total, unread, starred, spam from submission_blocks where form_id = ? order by first_id',
		),
		moveCounts: client.prepare(
			'update forms set total = total + ?, unread = unread + ?, starred = starred + ?, spam = spam + ? where id = ?',
		),
		writeBlock: client.prepare(
			`insert into submission_blocks (form_id, first_id, total, unread, starred, spam) values (?, ?, ?, ?, ?, ?)
			on conflict (form_id, first_id) do update set
			total = excluded.total, unread = excluded.unread, starred = excluded.starred, spam = excluded.spam`,
		),
	};
}

function noCounts(): Counts {
	return { total: 0, unread: 0, starred: 0, spam: 0 };
}

function sumOf(blocks: readonly Block[]): Counts {
	const sum = noCounts();
	for (const { total, unread, starred, spam } of blocks) {
		sum.total += total;
		sum.unread += unread;
		sum.starred += starred;
		sum.spam += spam;
	}
	return sum;
}

function addCounts(counts: Counts, flags: Flags, sign: 1 | -1): void {
	if (flags.isSpam) {
		counts.spam += sign;
		return;
	}
	counts.total += sign;
	if (!flags.isRead) counts.unread += sign;
	if (flags.isStarred) counts.starred += sign;
}

/** A new submission goes into the newest block, or opens the next one; any other belongs to the last block that begins at or before it. */
function blockOf(state: FormState, id: number, sign: 1 | -1): Block {
	const newest = state.blocks.at(-1);
	if (newest && id >= newest.firstId && (sign === -1 || newest.total + newest.spam < BLOCK_SIZE)) return newest;
	if (newest && id < newest.firstId) return state.blocks[blockIndexOf(state.blocks, id)] ?? newest;
	const block = { firstId: id, ...noCounts() };
	state.blocks.push(block);
	return block;
}

/** The index of the last block that begins at or before `id`; -1 if all begin later. */
export function blockIndexOf(blocks: readonly Block[], id: number): number {
	let low = 0;
	let high = blocks.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((blocks[middle] as Block).firstId <= id) low = middle + 1;
		else high = middle;
	}
	return low - 1;
}

function haveSameItems(a: readonly string[], b: readonly string[]): boolean {
	if (a === b) return true;
	if (a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) {
		if (a[i] !== b[i]) return false;
	}
	return true;
}
