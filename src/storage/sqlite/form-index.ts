/**
 * Facts of each form's submissions that are known without reading them: counts of blocks of about a thousand, and the
 * field names. Held in memory once a form was used, and written in the transaction of the change that moved it.
 */

import type { Database, Statement } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import {
	addTo,
	COUNTED,
	COUNTERS,
	type Counts,
	countsOf,
	type Flags,
	PLACES,
	type Place,
	placeOf,
	sizeOf,
	toCounts,
} from '../filters.ts';
import { BEYOND_ALL_IDS, FLAG_COLUMNS } from '../rows.ts';
import {
	addToNames,
	beginCount,
	endCount,
	isToBeCounted,
	type NameList,
	prepareNameStatements,
	readNames,
	writeNames,
} from './name-list.ts';

export const BLOCK_SIZE = 1024;
const MAX_FORMS_IN_MEMORY = 1000;

export interface CountedSubmission {
	id: number;
	names: readonly string[];
}

export interface NextSubmissions {
	submissions: readonly CountedSubmission[];
	isEnd: boolean;
}

export interface Block extends Counts {
	firstId: number;
}

interface Counted extends CountedSubmission {
	block: Block;
}

interface FormState {
	blocks: Block[];
	/** The sums of all blocks. */
	totals: Counts;
	/** By places. */
	nameLists: readonly NameList[];
	dirtyBlocks: Set<Block>;
}

export type FormIndex = ReturnType<typeof createFormIndex>;

export function createFormIndex(client: Database) {
	const states = new Map<number, FormState>();
	const dirtyForms = new Set<number>();
	const sql = prepareStatements(client);
	const nameSql = prepareNameStatements(client);

	function load(formId: number): FormState {
		const found = sql.readBlocks.values(formId) as number[][];
		const blocks = found.map(([firstId = 0, ...counts]): Block => ({ firstId, ...toCounts(counts) }));
		const state: FormState = {
			blocks,
			totals: sumOf(blocks),
			nameLists: PLACES.map((place) => readNames(nameSql, formId, place)),
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

	/** Counts a block anew, as several, that has become too large by submissions that came in between. */
	function split(formId: number, { blocks, dirtyBlocks }: FormState, block: Block): void {
		const at = blockIndexOf(blocks, block.firstId);
		const range = { from: startOf(blocks, at), to: startOf(blocks, at + 1) };
		const parts = [...countAnew(sql.countBlock(), formId, range)];
		sql.removeBlock().run(formId, block.firstId);
		blocks.splice(at, 1, ...parts);
		dirtyBlocks.delete(block);
		for (const part of parts) dirtyBlocks.add(part);
	}

	function write(formId: number, state: FormState): void {
		for (const block of [...state.dirtyBlocks]) if (sizeOf(block) >= 2 * BLOCK_SIZE) split(formId, state, block);
		sql.writeTotals.run(...valuesOf(state.totals), formId);
		for (const block of state.dirtyBlocks) writeBlock(sql.writeBlock, formId, block);
		for (const place of PLACES) writeNames(nameSql, listOf(state, place), { formId, place });
		state.dirtyBlocks.clear();
	}

	function count(formId: number, { id, block, names }: Counted, flags: Flags, sign: 1 | -1): void {
		const state = stateOf(formId);
		dirtyForms.add(formId);
		state.dirtyBlocks.add(block);
		const counts = countsOf(flags);
		addTo(state.totals, counts, sign);
		addTo(block, counts, sign);
		const list = listOf(state, placeOf(flags));
		if (id < (list.mark || BEYOND_ALL_IDS)) addToNames(list, names, sign);
	}

	return {
		/** Counts a submission that is being written, behind all that are stored; to be called inside the writer's transaction, as the next one. */
		add(formId: number, submission: CountedSubmission, flags: Flags): void {
			const state = stateOf(formId);
			const { id, names } = submission;
			count(formId, { id, block: newestBlock(state, id), names }, flags, 1);
		},
		/** Counts one that was stored out, and in again with its new flags, if it stays; without `before` it is there since now. */
		change(formId: number, { id, names }: CountedSubmission, before?: Flags, after?: Flags): void {
			const state = stateOf(formId);
			// There is none before the first, or if the counts are damaged, and not counted again yet.
			const counted = { id, block: state.blocks[blockIndexOf(state.blocks, id)] ?? newestBlock(state, id), names };
			if (before) count(formId, counted, before, -1);
			if (after) count(formId, counted, after, 1);
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
		},
		/** The sums of all blocks of a form. Not to be changed by the caller. */
		totals(formId: number): Readonly<Counts> {
			return stateOf(formId).totals;
		},
		/** Oldest first. Not to be changed by the caller. */
		blocks(formId: number): readonly Block[] {
			return stateOf(formId).blocks;
		},
		/** The field names of the submissions in a place, in the order first seen, as a JSON array. */
		namesJson(formId: number, place: Place): string {
			const list = listOf(stateOf(formId), place);
			list.json ??= JSON.stringify([...list.counts.keys()]);
			return list.json;
		},
		/** Returns whether there may be submissions with names that are not listed. */
		hasUnlistedNames(formId: number, place: Place): boolean {
			return listOf(stateOf(formId), place).mark !== undefined;
		},
		/**
		 * Counts the names of some more submissions, from the beginning on, if the list left names out that may have room now; to be
		 * called inside the writer's transaction. Returns whether there is more to count.
		 */
		countNames(formId: number, place: Place, next: (fromId: number) => NextSubmissions): boolean {
			const list = listOf(stateOf(formId), place);
			if (!isToBeCounted(list)) return false;
			const { submissions, isEnd } = next(list.mark ?? 0);
			dirtyForms.add(formId);
			if (list.mark === 0) beginCount(list);
			for (const { names } of submissions) addToNames(list, names, 1);
			if (isEnd) endCount(list);
			else list.mark = (submissions.at(-1) as CountedSubmission).id + 1;
			return !isEnd;
		},
	};
}

function listOf({ nameLists }: FormState, place: Place): NameList {
	return nameLists[place] as NameList;
}

const LIST = COUNTERS.join(', ');

export const COUNT_BLOCK = `select min(id), ${COUNTED}, max(id) from (select ${FLAG_COLUMNS} from submissions
	where form_id = ? and id >= ? and id < ? order by id limit ${BLOCK_SIZE})`;
export const WRITE_BLOCK = `insert into submission_blocks (form_id, first_id, ${LIST}) values (?, ?, ${COUNTERS.map(() => '?').join(', ')})
	on conflict (form_id, first_id) do update set ${COUNTERS.map((counter) => `${counter} = excluded.${counter}`).join(', ')}`;

/** Counts the submissions between two ids, block by block. @param statement Of {@link COUNT_BLOCK}. */
export function* countAnew(
	statement: Statement,
	formId: number,
	{ from, to }: { from: number; to: number },
): Generator<Block> {
	for (let next = from; ; ) {
		const [firstId, ...counts] = statement.values(formId, next, to)[0] as [number | null, ...number[]];
		if (firstId === null) return;
		next = (counts.pop() as number) + 1;
		yield { firstId, ...toCounts(counts) };
	}
}

/** @param statement Of {@link WRITE_BLOCK}. */
export function writeBlock(statement: Statement, formId: number, block: Block): void {
	statement.run(formId, block.firstId, ...valuesOf(block));
}

function prepareStatements(client: Database) {
	return {
		countBlock: lazy(() => client.prepare(COUNT_BLOCK)),
		removeBlock: lazy(() => client.prepare('delete from submission_blocks where form_id = ? and first_id = ?')),
		readBlocks: client.prepare(`select first_id, ${LIST} from submission_blocks where form_id = ? order by first_id`),
		writeTotals: client.prepare(
			`update forms set ${COUNTERS.map((counter) => `${counter} = ?`).join(', ')} where id = ?`,
		),
		writeBlock: client.prepare(WRITE_BLOCK),
	};
}

function sumOf(blocks: readonly Block[]): Counts {
	const sum = toCounts();
	for (const block of blocks) addTo(sum, block);
	return sum;
}

function valuesOf(counts: Readonly<Counts>): number[] {
	return COUNTERS.map((counter) => counts[counter]);
}

function newestBlock({ blocks }: FormState, id: number): Block {
	const newest = blocks.at(-1);
	if (newest && sizeOf(newest) < BLOCK_SIZE) return newest;
	const block = { firstId: id, ...toCounts() };
	blocks.push(block);
	return block;
}

/** The ids that belong to a block begin here: the first block has all before the second. */
export function startOf(blocks: readonly Block[], at: number): number {
	return at <= 0 ? 0 : (blocks[at]?.firstId ?? BEYOND_ALL_IDS);
}

/** The index of the last block that begins at or before `id`. */
export function blockIndexOf(blocks: readonly Block[], id: number): number {
	// All that lies before the second belongs to the first.
	let low = 1;
	let high = blocks.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((blocks[middle] as Block).firstId <= id) low = middle + 1;
		else high = middle;
	}
	return low - 1;
}
