/** The view of the inbox is the query to the API. */

import { describe, expect, test } from 'bun:test';
import { isNarrowed, listQueryOf, selectionOf } from '../../../src/dashboard/web/inbox-query.ts';
import { EMPTY_QUERY } from '../../../src/dashboard/web/router.ts';

describe('a query of the API', () => {
	test('names the page by its offset', () => {
		expect(listQueryOf({ ...EMPTY_QUERY, page: 3 })).toMatchObject({ limit: 50, offset: 100, order: 'desc' });
	});

	test('covers both days of a range whole, in the reader’s zone', () => {
		const { since, until } = selectionOf({ ...EMPTY_QUERY, from: '2026-03-01', to: '2026-03-01' });
		const start = new Date(2026, 2, 1).getTime();
		const end = new Date(2026, 2, 2).getTime();
		expect(new Date(since ?? '').getTime()).toBe(start - 1);
		expect(new Date(until ?? '').getTime()).toBe(end - 1);
	});

	test('leaves out absent parameters', () => {
		expect(selectionOf({ ...EMPTY_QUERY, search: '  ' })).toEqual({ filter: 'all', archived: false });
		expect(isNarrowed({ ...EMPTY_QUERY, search: '  ', filter: 'spam' })).toBe(false);
		expect(isNarrowed({ ...EMPTY_QUERY, search: 'a' })).toBe(true);
		expect(isNarrowed({ ...EMPTY_QUERY, label: 'a' })).toBe(true);
		expect(isNarrowed({ ...EMPTY_QUERY, to: '2026-03-01' })).toBe(true);
	});
});
