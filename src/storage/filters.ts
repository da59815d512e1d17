/** The filters of lists, each once: which submissions it shows, in SQL and of one at hand, and the counter of how many. Pure, for browsers too. */

import { mapNames } from '../text/map-names.ts';
import { columnOf, FLAG_NAMES, type FlagName, mapFlags } from './owned.ts';

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

interface FilterRule {
	place: Place;
	/** Those that its submissions have or have not; without any, all of the place. */
	flags?: Partial<Record<FlagName, boolean>>;
}

const RULES = {
	all: { place: PLACE.inbox },
	unread: { place: PLACE.inbox, flags: { isRead: false } },
	starred: { place: PLACE.inbox, flags: { isStarred: true } },
	spam: { place: PLACE.spam },
	pending: { place: PLACE.pending },
} satisfies Record<string, FilterRule>;

export type Filter = keyof typeof RULES;
export const FILTERS = Object.keys(RULES) as Filter[];
export const INBOX_FILTERS = FILTERS.filter((filter) => RULES[filter].place === PLACE.inbox);

/** The counters of a filter: how many submissions it shows, and how many of these are archived. */
const counterOf = (filter: Filter) => (filter === 'all' ? 'total' : filter);
const archivedOf = (filter: Filter) => (filter === 'all' ? 'archived' : (`archived_${filter}` as const));
export type Counter = ReturnType<typeof counterOf | typeof archivedOf>;
export const COUNTERS: readonly Counter[] = [...FILTERS.map(counterOf), ...FILTERS.map(archivedOf)];
export type Counts = Record<Counter, number>;

type Part = Exclude<Filter, 'all'>;
type CountName = 'submissionCount' | 'archivedCount' | `${Part}Count` | `archived${Capitalize<Part>}Count`;
/** The names under which a form shows the counters. */
const COUNT_NAMES = mapNames(COUNTERS, (counter) => {
	const name = counter === 'total' ? 'submission' : counter.replace(/_./, ([, letter]) => `${letter}`.toUpperCase());
	return `${name}Count` as CountName;
});
const OTHER_COUNTERS = COUNTERS.filter((counter) => counter !== 'total');

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
	const [all, archived] = [counts[counterOf(filter)], counts[archivedOf(filter)]];
	if (isArchived === undefined) return all;
	return isArchived ? archived : all - archived;
}

/** As {@link countOf}, of a row with the counters. @param row Its name, with a dot behind */
export function countSql({ filter, isArchived }: View, row = ''): string {
	const [all, archived] = [row + counterOf(filter), row + archivedOf(filter)];
	if (isArchived === undefined) return all;
	return isArchived ? archived : `(${all} - ${archived})`;
}

const counted = (view: View) => `count(*) filter (where ${conditionOf(view)}) ${countSql(view)}`;
const ARCHIVED = FILTERS.map((filter): View => ({ filter, isArchived: true }));
/** The columns that count submissions, under the names of {@link COUNTERS} and in their order. */
export const COUNTED = [...FILTERS.map((filter) => counted({ filter })), ...ARCHIVED.map(counted)].join(', ');

export const mapCounts = (count: (counter: Counter, i: number) => number): Counts => mapNames(COUNTERS, count);

/** Makes a member of forms for each counter but `total`. */
export function mapOtherCounts<T>(of: (counter: Counter) => T): Record<Exclude<CountName, 'submissionCount'>, T> {
	const made: Partial<Record<CountName, T>> = {};
	for (const counter of OTHER_COUNTERS) made[COUNT_NAMES[counter]] = of(counter);
	return made as never;
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
	for (const filter of FILTERS.filter((one) => shows(RULES[one], flags))) {
		counts[counterOf(filter)] = 1;
		counts[archivedOf(filter)] = Number(flags.isArchived);
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

export function addTo(counts: Counts, change: Readonly<Counts>, sign: 1 | -1 = 1): void {
	for (const counter of COUNTERS) counts[counter] += sign * change[counter];
}
