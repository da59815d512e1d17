/** The field names of a form's inbox, or of its spam: how many submissions have each, for as many names as are listed. */

import type { Database, Statement } from 'bun:sqlite';

/** Names beyond this many are stored with their submissions, but not listed: a client could invent them without end. */
export const MAX_LISTED_NAMES = 2000;
/** A row among the names of a list that left some out. No name is written so: `JSON.stringify` does not escape that character. */
const OVERFLOW_MARK = '"\\u2026"';

export interface NameList {
	counts: Map<string, number>;
	/** How many submissions with all listed names, and no other, came since these were written. */
	whole: number;
	/** The other names whose counts changed. */
	dirty: Set<string>;
	/** True if there may be unlisted names; `'marked'` once that is in the file too. */
	overflow: boolean | 'marked';
	/** True if a recount may list others, now that names came, went or became fewer while some are not listed. */
	isStale: boolean;
	/** Another one after each change that makes counts of before wrong: whatever is taken out, and whatever is read anew. */
	version: number;
	/** True if the file must hold exactly these, in this order. */
	isRewritten: boolean;
	/** The listed names as a JSON array, kept until one comes or goes. */
	json: string | undefined;
}

/** The result of a scan of all submissions. */
export interface NameCount {
	/** In the order first seen. */
	counts: ReadonlyMap<string, number>;
	/** True if names were left out, for there were too many. */
	isPartial: boolean;
}

export type NameStatements = ReturnType<typeof prepareNameStatements>;

export function prepareNameStatements(client: Database) {
	return {
		read: client.prepare('select name, count from field_names where form_id = ? and is_spam = ? order by id'),
		write: client.prepare(
			`insert into field_names (form_id, is_spam, name, count) values (?, ?, ?, ?)
			on conflict (form_id, is_spam, name) do update set count = excluded.count`,
		),
		addToAll: client.prepare('update field_names set count = count + ? where form_id = ? and is_spam = ?'),
		remove: client.prepare('delete from field_names where form_id = ? and is_spam = ? and name = ?'),
		removeAll: client.prepare('delete from field_names where form_id = ? and is_spam = ?'),
	} satisfies Record<string, Statement>;
}

let lastVersion = 0;

export function readNames(sql: NameStatements, formId: number, isSpam: 0 | 1): NameList {
	const rows = sql.read.values(formId, isSpam) as [string, number][];
	const names = rows.filter(([name]) => name !== OVERFLOW_MARK);
	const isMarked = names.length < rows.length;
	return {
		counts: new Map(names.map(([name, count]) => [JSON.parse(name) as string, count])),
		whole: 0,
		dirty: new Set(),
		overflow: isMarked && 'marked',
		isStale: isMarked,
		version: ++lastVersion,
		isRewritten: false,
		json: undefined,
	};
}

/** Writes what changed since the last time. */
export function writeNames(sql: NameStatements, list: NameList, { formId, isSpam }: { formId: number; isSpam: 0 | 1 }) {
	if (list.isRewritten) sql.removeAll.run(formId, isSpam);
	else if (list.whole > 0) sql.addToAll.run(list.whole, formId, isSpam);
	list.whole = 0;
	for (const name of list.isRewritten ? list.counts.keys() : list.dirty) {
		const count = list.counts.get(name);
		if (count === undefined) sql.remove.run(formId, isSpam, JSON.stringify(name));
		else sql.write.run(formId, isSpam, JSON.stringify(name), count);
	}
	list.isRewritten = false;
	list.dirty.clear();
	if (list.overflow !== true) return;
	sql.write.run(formId, isSpam, OVERFLOW_MARK, 0);
	list.overflow = 'marked';
}

/** @param change How many submissions with these names came, or went if it is negative. */
export function addToNames(list: NameList, names: readonly string[], { change, max }: { change: number; max: number }) {
	if (change > 0 && areAllListed(list, names)) addToAll(list, change);
	else addToEach(list, names, { change, max });
}

function addToAll(list: NameList, change: number): void {
	for (const [name, count] of list.counts) list.counts.set(name, count + change);
	list.whole += change;
}

function addToEach(list: NameList, names: readonly string[], { change, max }: { change: number; max: number }): void {
	const { counts, dirty } = list;
	for (const found of names) {
		const before = counts.get(found) ?? 0;
		const after = before + change;
		if (before === 0) {
			if (change > 0 && counts.size >= max) list.overflow ||= true;
			list.isStale = list.overflow !== false;
			if (change < 0 || counts.size >= max) continue;
		}
		const name = before === 0 ? copyOf(found) : found;
		if (after <= 0) counts.delete(name);
		else counts.set(name, after);
		if (before === 0 || after <= 0) list.json = undefined;
		dirty.add(name);
	}
	if (change > 0 || names.length === 0) return;
	list.version = ++lastVersion;
	list.isStale = list.overflow !== false;
}

/** Returns whether these are the listed names, each once, and all there are: as nearly every form sends them. */
function areAllListed({ counts, overflow }: NameList, names: readonly string[]): boolean {
	const isSameNumber = names.length === counts.size && new Set(names).size === counts.size;
	return isSameNumber && overflow === false && names.every((name) => counts.has(name));
}

/** A name is cut from the text of its submission, all of which would stay in memory for as long as the name does. */
function copyOf(name: string): string {
	return Buffer.from(name, 'utf16le').toString('utf16le');
}

/** Has all submissions counted when the list is read next. */
export function doubtNames(list: NameList): void {
	list.overflow ||= true;
	list.isStale = true;
	list.version = ++lastVersion;
}

/** Lists anew, by what a scan counted. */
export function relistNames(list: NameList, { counts, isPartial }: NameCount, max: number): void {
	const isAll = counts.size <= max;
	list.counts = isAll ? new Map(counts) : choose(counts, max);
	list.overflow = !isAll || isPartial;
	list.isStale = false;
	list.isRewritten = true;
	list.json = undefined;
}

/**
 * Those that the most submissions have, in whatever order they came: of about as many, within a power of two, the first seen, so
 * that columns stay put. Kept in the order first seen.
 */
function choose(counts: ReadonlyMap<string, number>, max: number): Map<string, number> {
	const byFrequency = [...counts].sort(([, a], [, b]) => Math.clz32(a) - Math.clz32(b));
	const chosen = new Set(byFrequency.slice(0, max).map(([name]) => name));
	return new Map([...counts].filter(([name]) => chosen.has(name)));
}
