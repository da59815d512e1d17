/** The field that stands for a submission, and the width of a column. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { columnSize, fieldValue, replyAddress, summarise } from '../../../src/dashboard/web/summary.ts';

describe('the summary of a submission', () => {
	test('is who wrote and what they wrote', () => {
		expect(summarise({ topic: 'Hi', Email: 'a@b.co', 'Your-Name': 'Ada', message: 'A longer text' })).toEqual({
			title: 'Ada',
			snippet: 'A longer text',
		});
	});

	test('is the address of who wrote when there is no name, however the field is spelt', () => {
		expect(summarise({ topic: 'A longer text', 'E-Mail': 'a@b.co' }).title).toBe('a@b.co');
	});

	test('takes the first field that says something when none is named like a person', () => {
		expect(summarise({ a: '', b: '  ', c: 'first', d: 'x' })).toEqual({ title: 'first', snippet: 'x' });
	});

	test('says so when nothing was said', () => {
		expect(summarise({ a: '' })).toEqual({ title: 'No content', snippet: '' });
	});

	test('is one line of text for any submission', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
				const { title, snippet } = summarise(data);
				expect(title).not.toBe('');
				expect(`${title}${snippet}`).not.toMatch(/[\r\n]/);
			}),
		);
	});
});

describe('the address of a reply', () => {
	test.each([
		[{ email: ' ada@example.com ' }, 'ada@example.com'],
		[{ 'E-Mail': 'ada@example.com' }, 'ada@example.com'],
	])('is found in %p', (data, address) => {
		expect(replyAddress(data)).toBe(address);
	});

	test.each<Record<string, unknown>>([
		{ email: 'not one' },
		{ email: 'a@b.co, c@d.co' },
		{ email: ['a@b.co'] },
		{ email: 'a@b.co\r\nBcc: c@d.co' },
		{ message: 'a@b.co' },
	])('is not guessed from %p', (data) => {
		expect(replyAddress(data)).toBeUndefined();
	});
});

describe('the room of a column', () => {
	test.each([
		[['Yes', 'No', ''], 'narrow'],
		[['ada.lovelace@example.com'], 'medium'],
		[['A long message that goes on for quite a while.'], 'wide'],
		[[], 'narrow'],
	] as const)('for %p is %s', (values, size) => {
		expect(columnSize([...values])).toBe(size);
	});

	test('is not decided by a single outlier', () => {
		expect(columnSize([...new Array(20).fill('Yes'), 'x'.repeat(200)])).toBe('narrow');
	});
});

describe('the value of a field', () => {
	test('is only ever one that was sent', () => {
		const sent = JSON.parse('{"__proto__": "sent", "a": 1}') as Record<string, unknown>;
		expect(fieldValue(sent, '__proto__')).toBe('sent');
		expect(fieldValue(sent, 'constructor')).toBeUndefined();
		expect(fieldValue({}, 'toString')).toBeUndefined();
	});
});
