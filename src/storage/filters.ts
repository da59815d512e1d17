/** The filters of lists, each once: which submissions it shows, in SQL and of one at hand, and the counter of how many. Pure, for browsers too. */

export interface Flags {
	isRead: boolean;
	isStarred: boolean;
	isSpam: boolean;
	/** It waits until its visitor has confirmed an address. None is spam and waits. */
	isPending: boolean;
	isArchived: boolean;
}

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

interface Rule {
	condition: string;
	matches(flags: Flags): boolean;
}

interface FilterRule extends Rule {
	counter: Counter;
	place: Place;
	/** How many of those it shows are archived. */
	archived: Counter;
}

const RULES = {
	all: { counter: 'total', archived: 'archived', place: PLACE.inbox, condition: 'is_spam = 0', matches: isInInbox },
	unread: {
		counter: 'unread',
		archived: 'archived_unread',
		place: PLACE.inbox,
		condition: 'is_spam = 0 and is_read = 0',
		matches: (flags) => isInInbox(flags) && !flags.isRead,
	},
	starred: {
		counter: 'starred',
		archived: 'archived_starred',
		place: PLACE.inbox,
		condition: 'is_spam = 0 and is_starred = 1',
		matches: (flags) => isInInbox(flags) && flags.isStarred,
	},
	spam: {
		counter: 'spam',
		archived: 'archived_spam',
		place: PLACE.spam,
		condition: 'is_spam = 1',
		matches: ({ isSpam }) => isSpam,
	},
	pending: {
		counter: 'pending',
		archived: 'archived_pending',
		place: PLACE.pending,
		condition: 'is_spam = 2',
		matches: ({ isPending }) => isPending,
	},
} satisfies Record<string, FilterRule>;

function isInInbox({ isSpam, isPending }: Flags): boolean {
	return !isSpam && !isPending;
}

export type Filter = keyof typeof RULES;
export const FILTERS = Object.keys(RULES) as Filter[];

/** A filter, and with `isArchived` those alone of its submissions that are archived, or are not. */
export interface View<Name = Filter> {
	filter: Name;
	isArchived?: boolean | undefined;
}

/** Where the submissions are that a filter lets through. */
export const placeOfFilter = (filter: Filter): Place => RULES[filter].place;

/** The condition of a view. "any": all submissions, wherever they lie and however they are marked meanwhile. */
export function conditionOf({ filter, isArchived }: View<Filter | 'any'>): string {
	const condition = filter === 'any' ? 'true' : RULES[filter].condition;
	return isArchived === undefined ? condition : `${condition} and is_archived = ${Number(isArchived)}`;
}

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

const RULE_OF = Object.fromEntries(
	FILTERS.flatMap((filter): [Counter, Rule][] => {
		const rule: FilterRule = RULES[filter];
		const matches = (flags: Flags) => flags.isArchived && rule.matches(flags);
		return [
			[rule.counter, rule],
			[rule.archived, { condition: conditionOf({ filter, isArchived: true }), matches }],
		];
	}),
) as Record<Counter, Rule>;

/** The columns that count submissions, under the names of {@link COUNTERS} and in their order. */
export const COUNTED = COUNTERS.map((name) => `count(*) filter (where ${RULE_OF[name].condition}) ${name}`).join(', ');

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

const indexOf = (flags: Flags) =>
	Number(flags.isRead) + 2 * Number(flags.isStarred) + 4 * Number(flags.isArchived) + 8 * placeOf(flags);
const OF_FLAGS: readonly Counts[] = Array.from({ length: 8 * PLACES.length }, (_, i) => {
	const place = i >> 3;
	const [isSpam, isPending] = [place === PLACE.spam, place === PLACE.pending];
	const flags = { isRead: (i & 1) > 0, isStarred: (i & 2) > 0, isArchived: (i & 4) > 0, isSpam, isPending };
	return mapCounts((counter) => Number(RULE_OF[counter].matches(flags)));
});
const NOTHING = toCounts();
/** The flags of a submission that arrives. */
export const NEW: Flags = { isRead: false, isStarred: false, isSpam: false, isPending: false, isArchived: false };

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
	counts.archived += sign * change.archived;
	counts.archived_unread += sign * change.archived_unread;
	counts.archived_starred += sign * change.archived_starred;
	counts.archived_spam += sign * change.archived_spam;
	counts.archived_pending += sign * change.archived_pending;
}
