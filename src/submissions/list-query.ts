/** Pure: parses the query parameters of the submissions list, and criteria in general, strictly. */

import { invalidField } from '../errors.ts';
import { oneOf, parsePage, readTimes, single, type Times, truth } from '../http/query-parameters.ts';
import { decodeId } from '../ids.ts';
import type { Clock, Storage } from '../storage/contract.ts';
import { FILTERS } from '../storage/filters.ts';
import { mapWordLists } from '../storage/owned.ts';
import { searchWords } from '../storage/search-words.ts';
import type { Condition, Selection } from '../storage/submission.ts';
import type { Timeline } from '../storage/timeline.ts';
import { characterCount } from '../text/character-count.ts';
import { type CriteriaInput, mapSwitches, mapTexts, SEARCH_MAX } from './criteria.ts';
import { checkedWord } from './own-words.ts';

/** Criteria for submissions; times in milliseconds since 1970. */
export type Criteria = Times & Omit<Condition, 'fromId' | 'beforeId'>;

export interface OrderedCriteria extends Criteria {
	order: 'asc' | 'desc';
}

export interface ListQuery extends OrderedCriteria {
	limit: number;
	offset: number;
	/** Only submissions behind this id, in the order of arrival. */
	afterId?: number;
}

const ORDERS = ['asc', 'desc'] as const;

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseListQuery(params: URLSearchParams): ListQuery {
	const after = single(params, 'after');
	return {
		...parsePage(params),
		...parseOrderedCriteria(params),
		...(after !== undefined && { afterId: parseCursor(after) }),
	};
}

function parseCursor(text: string): number {
	const id = decodeId(text);
	if (id !== undefined) return id;
	throw invalidField(
		'after',
		'INVALID_CURSOR',
		'after must be the pagination.cursor of a page before, or 0 to begin with.',
	);
}

/** Criteria and order, without the page. */
export function parseOrderedCriteria(params: URLSearchParams): OrderedCriteria {
	return {
		order: oneOf(params, 'order', { values: ORDERS, fallback: 'desc' }),
		...parseCriteria({
			filter: oneOf(params, 'filter', { values: FILTERS, fallback: 'all' }),
			...mapSwitches((name) => truth(params, name)),
			...mapTexts((name) => single(params, name)),
		}),
	};
}

export function parseCriteria({ filter, archived, search, ...more }: CriteriaInput): Criteria {
	const ofLists = mapWordLists('one', (list) => checkedWord(more[list.one], list.one, list));
	const words = search === undefined ? undefined : parseSearch(search);
	return { filter, isArchived: archived, ...ofLists, words, ...readTimes(more) };
}

/** Criteria with times translated into ids. */
export function toCondition(criteria: Criteria, timeline: Timeline): Condition {
	const { filter, isArchived, words, sinceMs, untilMs } = criteria;
	const ofLists = mapWordLists('one', ({ one }) => criteria[one]);
	const idAfter = (millis?: number) => (millis === undefined ? undefined : timeline.firstIdAfter(millis));
	return { filter, isArchived, ...ofLists, words, fromId: idAfter(sinceMs), beforeId: idAfter(untilMs) };
}

/** The submissions of a form that match and have arrived by now. */
export function selectionOf(criteria: Criteria, formId: number, clock: Pick<Clock, 'end' | 'timeline'>): Selection {
	const condition = toCondition(criteria, clock.timeline());
	return { ...condition, formId, beforeId: Math.min(condition.beforeId ?? Number.POSITIVE_INFINITY, clock.end()) };
}

/** Their ids, oldest first, so many at a time. */
export async function* idsOf(
	{ ids }: Pick<Storage['submissions'], 'ids'>,
	selection: Selection,
	limit: number,
): AsyncGenerator<number[]> {
	for (let rest = selection; ; ) {
		const found = await ids(rest, { order: 'asc', limit });
		if (found.length > 0) yield found;
		if (found.length < limit) return;
		rest = { ...rest, fromId: (found.at(-1) as number) + 1 };
	}
}

/** Rejects a search that matches everything: a bulk change meant for some would apply to all. */
function parseSearch(text: string): string[] {
	if (characterCount(text) > SEARCH_MAX) {
		throw invalidField('search', 'TOO_LONG', `search must have at most ${SEARCH_MAX} characters.`);
	}
	const words = searchWords(text);
	if (words.length > 0) return words;
	throw invalidField('search', 'EMPTY', 'search must hold something to look for; leave it out for all.');
}
