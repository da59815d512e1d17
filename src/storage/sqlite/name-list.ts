/** The field names of the submissions of a form in one place, such as its inbox: how many submissions have each, for as many names as are listed. */

import type { Database, Statement } from 'bun:sqlite';
import type { Place } from '../filters.ts';

/** Names beyond this many are stored with their submissions, but not listed: a client could invent them without end. */
const MAX_LISTED_NAMES = 2000;
/** A row among the names of a list that left some out, whose count is its `mark`. No name is written so: `JSON.stringify` does not escape that character. */
const PARTIAL_MARK = '"\\u2026"';

export interface NameList {
	counts: Map<string, number>;
	/** How many submissions with all listed names, and no other, came that are not in `counts` yet. */
	whole: number;
	/** The other names whose counts changed. */
	dirty: Set<string>;
	/**
	 * There if there may be unlisted names. 0: no name joins the list, so that all counts are exact; else it is counted anew, and only
	 * submissions below this id are counted.
	 */
	mark: number | undefined;
	/** The mark in the file. */
	writtenMark: number | undefined;
	/** The listed names as a JSON array, kept until one comes or goes. */
	json: string | undefined;
}

type NameStatements = ReturnType<typeof prepareNameStatements>;

export function prepareNameStatements(client: Database) {
	return {
		read: client.prepare('select name, count from field_names where form_id = ? and is_spam = ? order by id'),
		write: client.prepare(
			`insert into field_names (form_id, is_spam, name, count) values (?, ?, ?, ?)
			on conflict (form_id, is_spam, name) do update set count = excluded.count`,
		),
		addToAll: client.prepare('update field_names set count = count + ? where form_id = ? and is_spam = ?'),
		remove: client.prepare('delete from field_names where form_id = ? and is_spam = ? and name = ?'),
	} satisfies Record<string, Statement>;
}

/** Has all lists counted anew. */
export const DOUBT_LISTS = `insert or ignore into field_names (form_id, is_spam, name, count)
	select distinct form_id, is_spam, '${PARTIAL_MARK}', 0 from field_names`;
/** Selects the form and place of each list that left names out. */
export const PARTIAL_LISTS = `select form_id, is_spam from field_names where name = '${PARTIAL_MARK}'`;

export function readNames(sql: NameStatements, formId: number, place: Place): NameList {
	const counts = new Map(sql.read.values(formId, place) as [string, number][]);
	const mark = counts.get(PARTIAL_MARK);
	counts.delete(PARTIAL_MARK);
	return {
		counts: new Map([...counts].map(([name, count]) => [JSON.parse(name) as string, count])),
		whole: 0,
		dirty: new Set(),
		mark,
		writtenMark: mark,
		json: undefined,
	};
}

/** Writes what changed since the last time. */
export function writeNames(sql: NameStatements, list: NameList, { formId, place }: { formId: number; place: Place }) {
	if (list.whole > 0) sql.addToAll.run(list.whole, formId, place);
	spread(list);
	for (const name of list.dirty) {
		const count = list.counts.get(name);
		if (count === undefined) sql.remove.run(formId, place, JSON.stringify(name));
		else sql.write.run(formId, place, JSON.stringify(name), count);
	}
	list.dirty.clear();
	if (list.mark === list.writtenMark) return;
	list.writtenMark = list.mark;
	if (list.mark === undefined) sql.remove.run(formId, place, PARTIAL_MARK);
	else sql.write.run(formId, place, PARTIAL_MARK, list.mark);
}

/** @param change How many submissions with these names came, or went if it is negative. */
export function addToNames(list: NameList, names: readonly string[], change: number): void {
	if (change > 0 && areAllListed(list, names)) list.whole += change;
	else addToEach(list, names, change);
}

/** Adds what came with all names to the count of each. @param unwritten Gets the names whose counts the file does not have yet. */
function spread(list: NameList, unwritten?: Set<string>): void {
	if (list.whole === 0) return;
	for (const [name, count] of list.counts) {
		list.counts.set(name, count + list.whole);
		unwritten?.add(name);
	}
	list.whole = 0;
}

function addToEach(list: NameList, names: readonly string[], change: number): void {
	const { counts } = list;
	spread(list, list.dirty);
	for (const name of names) {
		const before = counts.get(name);
		if (before === undefined) {
			if (change > 0) addName(list, name, change);
			continue;
		}
		const after = before + change;
		list.dirty.add(name);
		if (after > 0 || list.mark) counts.set(name, Math.max(0, after));
		else {
			counts.delete(name);
			list.json = undefined;
		}
	}
}

function addName(list: NameList, found: string, count: number): void {
	if (list.mark === 0) return;
	if (list.counts.size >= MAX_LISTED_NAMES) {
		list.mark ??= 0;
		return;
	}
	const name = copyOf(found);
	list.counts.set(name, count);
	list.dirty.add(name);
	list.json = undefined;
}

/** Returns whether these are the listed names, in their order, and all there are: as nearly every form sends them. */
function areAllListed({ counts, mark }: NameList, names: readonly string[]): boolean {
	let at = 0;
	if (mark !== undefined || names.length !== counts.size) return false;
	for (const name of counts.keys()) if (name !== names[at++]) return false;
	return true;
}

/** A name is cut from the text of its submission, all of which would stay in memory for as long as the name does. */
function copyOf(name: string): string {
	return Buffer.from(name, 'utf16le').toString('utf16le');
}

/** Returns whether names that were left out may have room now, or the list is being counted anew. */
export function isToBeCounted({ counts, mark }: NameList): boolean {
	return mark !== undefined && (counts.size < MAX_LISTED_NAMES || mark > 0);
}

/** Begins a count from the first submission. What is listed stays until its end, and keeps its place. */
export function beginCount(list: NameList): void {
	for (const name of list.counts.keys()) {
		list.counts.set(name, 0);
		list.dirty.add(name);
	}
	list.mark = 1;
}

/** Ends it when all are counted. A list that is full may have left names out again. */
export function endCount(list: NameList): void {
	list.mark = list.counts.size >= MAX_LISTED_NAMES ? 0 : undefined;
	for (const [name, count] of list.counts) {
		if (count > 0) continue;
		list.counts.delete(name);
		list.dirty.add(name);
	}
	list.json = undefined;
}
