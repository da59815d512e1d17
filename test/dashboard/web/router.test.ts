/** The addresses of the dashboard lead where they say. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { EMPTY_QUERY, openedQuery, parseHash, type Route, savedQuery, to } from '../../../src/dashboard/web/router.ts';
import { TABS } from '../../../src/forms/kinds/views.ts';

const day = fc
	.date({ min: new Date('2000-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
	.map((date) => date.toISOString().slice(0, 10));
const query = fc.record({
	filter: fc.constantFrom(...TABS),
	label: fc.string({ unit: 'grapheme', maxLength: 40 }),
	search: fc.string({ unit: 'grapheme', maxLength: 40 }),
	from: fc.option(day, { nil: '' }),
	to: fc.option(day, { nil: '' }),
	page: fc.integer({ min: 1, max: 1_000_000 }),
	order: fc.constantFrom('asc' as const, 'desc' as const),
});
const id = fc.stringMatching(/^[0-9a-z]{1,11}$/);

describe('the addresses of the views', () => {
	test('are saved without the page', () => {
		fc.assert(
			fc.property(query, (wanted) => {
				expect(openedQuery(savedQuery(wanted))).toEqual({ ...wanted, page: 1 });
			}),
		);
		expect(savedQuery(EMPTY_QUERY)).toBe('');
	});

	test('lead back to the inbox that made them, whatever was searched for', () => {
		fc.assert(
			fc.property(id, query, (form, wanted) => {
				const route = parseHash(to.inbox(form, wanted));
				expect(route).toEqual({ view: 'inbox', form, submission: null, query: wanted });
			}),
		);
	});

	test('lead back to the submission that made them', () => {
		fc.assert(
			fc.property(id, id, query, (form, submission, wanted) => {
				const route = parseHash(to.submission(form, submission, wanted));
				expect(route).toEqual({ view: 'inbox', form, submission, query: wanted });
			}),
		);
	});

	test('leave out what goes without saying', () => {
		expect(to.inbox('a1', EMPTY_QUERY)).toBe('#/forms/a1');
		expect(to.inbox('a1', { ...EMPTY_QUERY, filter: 'spam', page: 2 })).toBe('#/forms/a1?filter=spam&page=2');
	});

	test.each<[hash: string, route: Route]>([
		['', { view: 'forms' }],
		['#/', { view: 'forms' }],
		['#/forms', { view: 'forms' }],
		['#/forms/a1/connect', { view: 'connect', form: 'a1' }],
		['#/forms/a1/settings', { view: 'form-settings', form: 'a1', group: '' }],
		['#/forms/a1/settings?group=spam', { view: 'form-settings', form: 'a1', group: 'spam' }],
		['#/forms/a1/elsewhere', { view: 'not-found' }],
		['#/keys', { view: 'keys' }],
		['#/settings', { view: 'settings' }],
		['#/setup/abc%2Fd', { view: 'setup', token: 'abc/d' }],
		['#/setup', { view: 'not-found' }],
		['#/deliveries?state=failed', { view: 'deliveries', delivery: null, state: 'failed', form: '', page: 1 }],
		['#/deliveries/d1?page=3', { view: 'deliveries', delivery: 'd1', state: '', form: '', page: 3 }],
		['#/%zz', { view: 'not-found' }],
	])('%p is read', (hash, route) => {
		expect(parseHash(hash)).toEqual(route);
	});

	test('take nonsense in a query for nothing', () => {
		expect(parseHash('#/forms/a1?filter=nice&page=-1&order=up&from=yesterday&to=2026-1-1')).toEqual({
			view: 'inbox',
			form: 'a1',
			submission: null,
			query: EMPTY_QUERY,
		});
	});

	test('never throw, for any text', () => {
		fc.assert(
			fc.property(fc.string(), (hash) => {
				expect(parseHash(`#${hash}`).view).toBeString();
			}),
		);
	});
});
