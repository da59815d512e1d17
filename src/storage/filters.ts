/** The filters of lists, each once: which submissions it shows, in SQL and of one at hand, and the counter of how many. Pure, for browsers too. */

import { FLAG_NAMES, type FlagName, mapFlags } from './owned.ts';

export interface Flags extends Record<FlagName, boolean> {
	/** It waits until its visitor has confirmed an address. None is spam and waits. */
	isPending: boolean;
}

/** The flags of a submission that arrives. */
export const NEW: Flags = { ...mapFlags(() => false), isPending: false };

/** Where submissions lie, each in one place: as the column `is_spam` has it, by which the indexes of lists and names go. */
export const PLACE = { inbox: 0, spam: 1, pending: 2 } as const;
export type Place = (typeof PLACE)[keyof typeof PLACE];
export const PLACES: readonly Place[] = Object.values(PLACE);

export function placeOf({ isSpam, isPending }: Pick<Flags, 'isSpam' | 'isPending'>): Place {
	if (isPending) return PLACE.pending;
	return isSpam ? PLACE.spam : PLACE.inbox;
}

/**
 * The counters, with the names under which a form shows them. `total`, `unread` and `starred` are of the inbox; `archived…` count those
 * of them that are archived.
 */
const COUNT_NAMES = {
	total: 'submissionCount',
	unread: 'unreadCount',
	starred: 'starredCount',
	spam: 'spamCount',
	pending: 'pendingCount',
	archived: 'archivedCount',
	archived_unread: 'archivedUnreadCount',
	archived_starred: 'archivedStarredCount',
	archived_spam: 'archivedSpamCount',
	archived_pending: 'archivedPendingCount',
} as const;
export type Counter = keyof typeof COUNT_NAMES;
export const COUNTERS = Object.keys(COUNT_NAMES) as Counter[];
export type Counts = Record<Counter, number>;

interface FilterRule {
	place: Place;
	/** Those that its submissions have or have not; without any, all of the place. */
	flags?: Partial<Record<FlagName, boolean>>;
	counter: Counter;
	/** How many of those it shows are archived. */
	archived: Counter;
}

const RULES = {
	all: { place: PLACE.inbox, counter: 'total', archived: 'archived' },
	unread: { place: PLACE.inbox, flags: { isRead: false }, counter: 'unread', archived: 'archived_unread' },
	starred: { place: PLACE.inbox, flags: { isStarred: true }, counter: 'starred', archived: 'archived_starred' },
	spam: { place: PLACE.spam, counter: 'spam', archived: 'archived_spam' },
	pending: { place: PLACE.pending, counter: 'pending', archived: 'archived_pending' },
} satisfies Record<string, FilterRule>;

export type Filter = keyof typeof RULES;
export const FILTERS = Object.keys(RULES) as Filter[];

/** A filter, and with `isArchived` those alone of its submissions that are archived, or are not. */
export interface View<Name = Filter> {
	filter: Name;
	isArchived?: boolean | undefined;
}

/** Where the submissions are that a filter lets through. */
export const placeOfFilter = (filter: Filter): Place => RULES[filter].place;

/** The flags that a view asks for. */
const flagsOf = ({ flags }: Partial<FilterRule>, isArchived?: boolean) =>
	Object.entries({ ...flags, isArchived }).filter(([, value]) => value !== undefined) as [FlagName, boolean][];
const columnOf = (flag: FlagName) => flag.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The condition of a view. "any": all submissions, wherever they lie and however they are marked meanwhile. */
export function conditionOf({ filter, isArchived }: View<Filter | 'any'>): string {
	const rule: Partial<FilterRule> = filter === 'any' ? {} : RULES[filter];
	const place = rule.place === undefined ? 'true' : `is_spam = ${rule.place}`;
	return [place, ...flagsOf(rule, isArchived).map(([flag, value]) => `${columnOf(flag)} = ${Number(value)}`)].join(
		' and ',
	);
}

/** Returns whether a filter shows a submission. */
const shows = (rule: FilterRule, flags: Flags): boolean =>
	placeOf(flags) === rule.place && flagsOf(rule).every(([flag, value]) => flags[flag] === value);

/** How many submissions a view shows. */
export function countOf({ filter, isArchived }: View, counts: Readonly<Counts>): number {
	const { counter, archived } = RULES[filter];
	if (isArchived === undefined) return counts[counter];
	return isArchived ? counts[archived] : counts[counter] - counts[archived];
}

/** As {@link countOf}, of a row with the counters. @param row Its name, with a dot behind */
export function countSql({ filter, isArchived }: View, row = ''): string {
	const { counter, archived } = RULES[filter];
	if (isArchived === undefined) return row + counter;
	return isArchived ? row + archived : `(${row}${counter} - ${row}${archived})`;
}

const CONDITIONS = Object.fromEntries(
	FILTERS.flatMap((filter) => [
		[RULES[filter].counter, conditionOf({ filter })],
		[RULES[filter].archived, conditionOf({ filter, isArchived: true })],
	]),
);
/** The columns that count submissions, under the names of {@link COUNTERS} and in their order. */
export const COUNTED = COUNTERS.map((name) => `count(*) filter (where ${CONDITIONS[name]}) ${name}`).join(', ');

export function mapCounts(count: (counter: Counter, i: number) => number): Counts {
	return Object.fromEntries(COUNTERS.map((counter, i) => [counter, count(counter, i)])) as Counts;
}

type CountName = (typeof COUNT_NAMES)[Counter];

/** Makes a member of forms for each counter but `total`. */
export function mapOtherCounts<T>(of: (counter: Counter) => T): Record<Exclude<CountName, 'submissionCount'>, T> {
	const others = COUNTERS.filter((counter) => counter !== 'total');
	return Object.fromEntries(others.map((counter) => [COUNT_NAMES[counter], of(counter)])) as never;
}

/** The counts that a form shows. */
export function countsShown(form: Readonly<Record<CountName, number>>): Counts {
	return mapCounts((counter) => form[COUNT_NAMES[counter]]);
}

/** @param values In the order of {@link COUNTERS}; absent: 0. */
export function toCounts(values: readonly unknown[] = []): Counts {
	return mapCounts((_, i) => Number(values[i] ?? 0));
}

const NOTHING = toCounts();
const KNOWN: Counts[] = [];

/** The counts of one submission, made once for each of the few combinations of flags. */
export function countsOf(flags: Flags): Readonly<Counts> {
	let index: number = placeOf(flags);
	for (const name of FLAG_NAMES) index = 2 * index + Number(flags[name]);
	const known = KNOWN[index];
	if (known) return known;
	const counts = toCounts();
	for (const rule of Object.values(RULES).filter((one) => shows(one, flags))) {
		counts[rule.counter] = 1;
		counts[rule.archived] = Number(flags.isArchived);
	}
	KNOWN[index] = counts;
	return counts;
}

/** The change of the counts when the flags of a submission change; when it comes, without `before`, or goes, without `after`. */
export function moveOf(before?: Flags, after?: Flags): Counts {
	const [from, to] = [before ? countsOf(before) : NOTHING, after ? countsOf(after) : NOTHING];
	return mapCounts((counter) => to[counter] - from[counter]);
}

/** How many submissions are counted in all, wherever they lie. */
export const sizeOf = ({ total, spam, pending }: Readonly<Counts>): number => total + spam + pending;
/** The same in SQL, of the columns of {@link COUNTERS}. */
export const SIZE = 'total + spam + pending';

/** Names each counter, because every submission comes here. */
export function addTo(counts: Counts, change: Readonly<Counts>, sign: 1 | -1 = 1): void {
	counts.total += sign * change.total;
	counts.unread += sign * change.unread;
	counts.starred += sign * change.starred;
	counts.spam += sign * change.spam;
	counts.pending += sign * change.pending;
	counts.archived += sign * change.archived;
	counts.archived_unread += sign * change.archived_unread;
	counts.archived_starred += sign * change.archived_starred;
	counts.archived_spam += sign * change.archived_spam;
	counts.archived_pending += sign * change.archived_pending;
}
