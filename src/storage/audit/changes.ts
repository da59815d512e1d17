/** Pure: what an entry of the audit log says of a change, in bounded room. Never anything that visitors sent. */

/** The longest text of a setting that is shown whole, in characters. */
const TEXT_MAX = 200;
/** The most items of a list that are named as added, or as removed. */
const ITEMS_MAX = 10;
/** The longest JSON of an entry, in characters. */
const DETAILS_MAX = 4000;

type Value = string | number | boolean | null;

/** A setting before and after; a list by the numbers of its items and those that came and went; a secret only as changed. */
export type RecordedChange =
	| { before?: Value; after?: Value }
	| { before: number; after: number; added: string[]; removed: string[] }
	| { changed: true };
export type Changes = Record<string, RecordedChange>;

export interface Details {
	changes?: Changes;
	counts?: Record<string, number>;
	/** Further circumstances, such as the format of an export. */
	facts?: Record<string, Value>;
}

/** The change of something that is not shown. */
export const SECRET: RecordedChange = { changed: true };

type Members = Readonly<Record<string, unknown>>;

/** How the members in `names` differ; without `before` all that are there. A part of an object is named as `spam.threshold`. */
export function changesBetween(before: Members | undefined, after: Members, names: readonly string[]): Changes {
	const changes: Changes = {};
	const add = (name: string, from: unknown, to: unknown) => {
		if (to === undefined || Bun.deepEquals(from, to)) return;
		const parts = [from, to].filter(isMembers);
		if (parts.length > 0) {
			const [old, now] = [from, to].map((value) => (isMembers(value) ? value : {}));
			if (to === null) changes[name] = { after: null };
			for (const part of new Set(parts.flatMap(Object.keys))) add(`${name}.${part}`, old?.[part], now?.[part] ?? null);
		} else changes[name] = changeOf(from, to);
	};
	for (const name of names) add(name, before?.[name], after[name]);
	return changes;
}

function isMembers(value: unknown): value is Members {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function changeOf(from: unknown, to: unknown): RecordedChange {
	if (Array.isArray(from) || Array.isArray(to)) return listChange(toList(from), toList(to));
	return { ...(from !== undefined && { before: shown(from) }), after: shown(to) };
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function listChange(from: readonly unknown[], to: readonly unknown[]): RecordedChange {
	const without = (all: readonly unknown[], others: readonly unknown[]) => {
		const known = new Set(others.map((item) => JSON.stringify(item)));
		return all.filter((item) => !known.has(JSON.stringify(item))).map(itemName);
	};
	const [added, removed] = [without(to, from), without(from, to)].map((names) => names.slice(0, ITEMS_MAX));
	return { before: from.length, after: to.length, added: added ?? [], removed: removed ?? [] };
}

function itemName(item: unknown): string {
	const name = isMembers(item) ? (item.name ?? item.field ?? JSON.stringify(item)) : item;
	return clipped(String(name));
}

function shown(value: unknown): Value {
	if (typeof value === 'string') return clipped(value);
	return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

export function clipped(text: string): string {
	return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

/** The details of an entry with what a further transaction adds: counts are sums. */
export function mergeDetails(before: Details | null, { changes, counts, facts }: Details): Details | null {
	const sums = { ...before?.counts };
	for (const [name, count] of Object.entries(counts ?? {})) sums[name] = (sums[name] ?? 0) + count;
	const parts = { changes: { ...before?.changes, ...changes }, counts: sums, facts: { ...before?.facts, ...facts } };
	const all = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
	return all.length > 0 ? bounded(Object.fromEntries(all)) : null;
}

/** Where there is no room for values, the names of the settings stay; where there is none for these, how many there are. */
function bounded(details: Details): Details {
	if (JSON.stringify(details).length <= DETAILS_MAX) return details;
	const { changes = {}, counts } = details;
	const names = Object.keys(changes);
	const short: Details = { counts, changes: Object.fromEntries(names.map((name) => [name, SECRET])) };
	return JSON.stringify(short).length <= DETAILS_MAX ? short : { counts, facts: { changed: names.length } };
}
