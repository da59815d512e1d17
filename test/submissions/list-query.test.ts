import { expect, test } from 'bun:test';
import { AppError } from '../../src/errors.ts';
import { parseListQuery } from '../../src/submissions/list-query.ts';

const parse = (query: string) => parseListQuery(new URLSearchParams(query));

const sinceOf = (text: string) => parse(new URLSearchParams({ since: text }).toString()).sinceMs;

test.each(['search', 'since', 'until', 'order', 'filter'])('an empty %s is rejected', (name) => {
	expect(() => parse(`${name}=`)).toThrow(`${name} must not be empty: give it a value, or leave it out.`);
});

test('an empty search does not match everything', () => {
	for (const text of ['+', '%CC%81']) expect(() => parse(`search=${text}`)).toThrow('search must hold something');
});

test('without parameters: the newest 50 of all', () => {
	expect(parse('')).toEqual({ limit: 50, offset: 0, order: 'desc', filter: 'all' });
});

test.each([
	['limit=100', { limit: 100 }],
	['limit=101', { limit: 100 }],
	['limit=0', { limit: 1 }],
	['limit=-5', { limit: 1 }],
	['offset=-1', { offset: 0 }],
	['offset=007', { offset: 7 }],
	['order=asc&filter=spam', { order: 'asc', filter: 'spam' }],
	['since=2026-01-02', { sinceMs: Date.parse('2026-01-02T00:00:00Z') }],
])('%s is accepted', (query, expected) => {
	expect(parse(query)).toMatchObject(expected);
});

test.each(
	['1.5', '0x10', ' 10', '10 ', '1e1', '', '+5', 'ten', '١٠'].flatMap((value) => [
		['limit', value],
		['offset', value],
	]),
)('%s=%p is refused by name', (name, value) => {
	const attempt = () => parse(new URLSearchParams([[name as string, value as string]]).toString());
	expect(attempt).toThrow(AppError);
	expect(attempt).toThrow(`${name} must ${value === '' ? 'not be empty' : 'be a whole number'}`);
});

test.each([
	'limit=1&limit=2',
	'order=asc&order=asc',
	'order=ASC',
	'filter=read',
	'order=',
	'since=',
	'since=yesterday',
])('%s is rejected', (query) => expect(() => parse(query)).toThrow(AppError));

test.each([
	['2026-01-31', '2026-01-31T00:00:00.000Z'],
	['2026-01-31T09:30', '2026-01-31T09:30:00.000Z'],
	['2026-01-31T09:30:15', '2026-01-31T09:30:15.000Z'],
	['2026-01-31 09:30:15z', '2026-01-31T09:30:15.000Z'],
	['2026-01-31T09:30:15.250+02:00', '2026-01-31T07:30:15.250Z'],
	['2026-01-31T09:30:15 02:00', '2026-01-31T07:30:15.000Z'],
	['2026-01-31T23:30:00-01:00', '2026-02-01T00:30:00.000Z'],
	['2024-02-29', '2024-02-29T00:00:00.000Z'],
	['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
	['0001-01-01', '0001-01-01T00:00:00.000Z'],
])('the moment %p is %s', (text, iso) => {
	expect(sinceOf(text)).toBe(Date.parse(iso));
});

test.each([
	'2026-02-30',
	'2025-02-29',
	'2026-13-01',
	'2026-1-1',
	'2026-01-01T24:00',
	'2026-01-01T10:60',
	'2026-01-01T10:00:61Z',
	'2026-01-01T10',
	'2026-01-01T10:00+2:00',
	'2026-01-01 02:00 ',
	'2026-01-01  02:00',
	'1767225600',
	'20260101',
	'2026-01-01T10:00:00.1234567890Z',
])('%p is no timestamp', (text) => {
	expect(() => sinceOf(text)).toThrow('since must be a date');
});
