/** The filters of lists, each once: which submissions it shows, in SQL and of one at hand, and the counter of how many. Pure, for browsers too. */

export interface Flags {
	isRead: boolean;
	isStarred: boolean;
	isSpam: boolean;
	/** It waits until its visitor has confirmed an address. None is spam and waits. */
	isPending: boolean;
}

/** Where submissions lie, each in one place: as the column `is_spam` has it, by which the indexes of lists and names go. */
export const PLACE = { inbox: 0, spam: 1, pending: 2 } as const;
export type Place = (typeof PLACE)[keyof typeof PLACE];
export const PLACES: readonly Place[] = Object.values(PLACE);

export function placeOf({ isSpam, isPending }: Pick<Flags, 'isSpam' | 'isPending'>): Place {
	if (isPending) return PLACE.pending;
	return isSpam ? PLACE.spam : PLACE.inbox;
}

/** `total`, `unread` and `starred` are of the inbox. */
export const COUNTERS = ['total', 'unread', 'starred', 'spam', 'pending'] as const;
export type Counter = (typeof COUNTERS)[number];
export type Counts = Record<Counter, number>;

interface Rule {
	counter: Counter;
	place: Place;
	condition: string;
	matches(flags: Flags): boolean;
}

const RULES = {
	all: { counter: 'total', place: PLACE.inbox, condition: 'is_spam = 0', matches: isInInbox },
	unread: {
		counter: 'unread',
		place: PLACE.inbox,
		condition: 'is_spam = 0 and is_read = 0',
		matches: (flags) => isInInbox(flags) && !flags.isRead,
	},
	starred: {
		counter: 'starred',
		place: PLACE.inbox,
		condition: 'is_spam = 0 and is_starred = 1',
		matches: (flags) => isInInbox(flags) && flags.isStarred,
	},
	spam: { counter: 'spam', place: PLACE.spam, condition: 'is_spam = 1', matches: ({ isSpam }) => isSpam },
	pending: {
		counter: 'pending',
		place: PLACE.pending,
		condition: 'is_spam = 2',
		matches: ({ isPending }) => isPending,
	},
} satisfies Record<string, Rule>;

function isInInbox({ isSpam, isPending }: Flags): boolean {
	return !isSpam && !isPending;
}

export type Filter = keyof typeof RULES;
export const FILTERS = Object.keys(RULES) as Filter[];
export const mapFilters = <T>(of: (filter: Filter) => T) =>
	Object.fromEntries(FILTERS.map((filter) => [filter, of(filter)])) as Record<Filter, T>;
export const CONDITION = mapFilters((filter) => RULES[filter].condition);
/** Where the submissions are that a filter lets through. */
export const placeOfFilter = (filter: Filter): Place => RULES[filter].place;
/** "any": all submissions, wherever they lie and however they are marked meanwhile. */
export const conditionOfFilter = (filter: Filter | 'any'): string => (filter === 'any' ? 'true' : CONDITION[filter]);
/** The count that says how many a filter lets through. */
export const COUNT_OF = mapFilters((filter): Counter => RULES[filter].counter);
const RULE_OF = Object.fromEntries(FILTERS.map((filter) => [COUNT_OF[filter], RULES[filter]])) as Record<Counter, Rule>;

/** The columns that count submissions, under the names of {@link COUNTERS} and in their order. */
export const COUNTED = COUNTERS.map((name) => `count(*) filter (where ${RULE_OF[name].condition}) ${name}`).join(', ');

export function mapCounts(count: (counter: Counter, i: number) => number): Counts {
	return Object.fromEntries(COUNTERS.map((counter, i) => [counter, count(counter, i)])) as Counts;
}

type CountName = `${Exclude<Counter, 'total'>}Count`;
/** The name under which a form shows a counter. */
export const countName = (counter: Counter): CountName | 'submissionCount' =>
	counter === 'total' ? 'submissionCount' : `${counter}Count`;

/** Makes a member of forms for each counter but `total`. */
export function mapOtherCounts<T>(of: (counter: Counter) => T): Record<CountName, T> {
	const others = COUNTERS.filter((counter) => counter !== 'total');
	return Object.fromEntries(others.map((counter) => [countName(counter), of(counter)])) as Record<CountName, T>;
}

/** @param values In the order of {@link COUNTERS}; absent: 0. */
export function toCounts(values: readonly unknown[] = []): Counts {
	return mapCounts((_, i) => Number(values[i] ?? 0));
}

const indexOf = (flags: Flags) => Number(flags.isRead) + 2 * Number(flags.isStarred) + 4 * placeOf(flags);
const OF_FLAGS: readonly Counts[] = Array.from({ length: 4 * PLACES.length }, (_, i) => {
	const place = i >> 2;
	const [isSpam, isPending] = [place === PLACE.spam, place === PLACE.pending];
	const flags = { isRead: i % 2 === 1, isStarred: (i & 2) > 0, isSpam, isPending };
	return mapCounts((counter) => Number(RULE_OF[counter].matches(flags)));
});
const NOTHING = toCounts();
/** The flags of a submission that arrives. */
export const NEW: Flags = { isRead: false, isStarred: false, isSpam: false, isPending: false };

/** The counts of one submission. */
export function countsOf(flags: Flags): Readonly<Counts> {
	return OF_FLAGS[indexOf(flags)] as Counts;
}

/** The change of the counts when the flags of a submission change; when it comes, without `before`, or goes, without `after`. */
export function moveOf(before?: Flags, after?: Flags): Counts {
	return difference(after ? countsOf(after) : NOTHING, before ? countsOf(before) : NOTHING);
}

function difference(after: Readonly<Counts>, before: Readonly<Counts>): Counts {
	return mapCounts((counter) => after[counter] - before[counter]);
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
}
