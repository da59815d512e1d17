/** Suggested rules hold for what they were made from, and say no more than that shows. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { atOnce, createFieldCheck, type Fields } from '../../src/field-rules/check.ts';
import type { FieldRule } from '../../src/field-rules/rules.ts';
import { createSuggestion } from '../../src/field-rules/suggest.ts';

const NO_FILES: ReadonlySet<string> = new Set();

function suggest(submissions: Fields[]): FieldRule[] {
	const suggestion = createSuggestion();
	for (const submission of submissions) suggestion.add(submission);
	return suggestion.rules();
}

/** Returns the rule suggested for one field with these values. */
function ruleFor(name: string, values: unknown[]): FieldRule | undefined {
	return suggest(values.map((value) => ({ values: { [name]: value }, files: NO_FILES })))[0];
}

const many = <T>(count: number, values: readonly T[]): T[] =>
	Array.from({ length: count }, (_, i) => values[i % values.length] as T);

describe('a suggestion', () => {
	const value = fc.oneof(
		fc.constantFrom('', 'on', 'a@b.example', 'https://a.example', '12', '2026-01-31', '+49 30 123', 'Other', 'x\r\ny'),
		fc.string({ unit: 'grapheme' }),
		fc.array(fc.constantFrom('', 'a', 'b', 'on'), { maxLength: 3 }),
		fc.constantFrom(null, true, 3, { a: 1 }, [null], [{}]),
	);
	const submission = fc.record({
		values: fc.dictionary(fc.constantFrom('a', 'email', 'telephone', 'age', 'topic', '__proto__'), value),
		files: fc.subarray(['a', 'topic']).map((names) => new Set(names)),
	});

	test('holds for every submission that it was made from', () => {
		fc.assert(
			fc.property(fc.array(submission, { maxLength: 40 }), (submissions) => {
				const check = createFieldCheck(suggest(submissions));
				for (const sent of submissions) expect(atOnce(check(sent))).toEqual([]);
			}),
		);
	});

	test.each<[string, unknown[], FieldRule | undefined]>([
		[
			'email',
			many(12, ['a@b.example', 'c@d.example']),
			{ name: 'email', type: 'email', label: 'Email', required: true },
		],
		['email', many(9, ['a@b.example']), { name: 'email', type: 'email', label: 'Email' }],
		['email', [...many(12, ['a@b.example']), ''], { name: 'email', type: 'email', label: 'Email' }],
		['site', ['https://a.example'], { name: 'site', type: 'url', label: 'Site' }],
		['site', ['mailto:a@b'], { name: 'site', type: 'text', maxLength: 200, label: 'Site' }],
		['arrival', ['2026-01-31'], { name: 'arrival', type: 'date', label: 'Arrival' }],
		['phone_number', ['+49 30 1234', '030/1234'], { name: 'phone_number', type: 'tel', label: 'Phone number' }],
		['guests', ['2', '4'], { name: 'guests', type: 'number', label: 'Guests' }],
		['story', ['One\r\ntwo'], { name: 'story', type: 'text', maxLength: 10_000, label: 'Story' }],
		['town', ['x'.repeat(60)], { name: 'town', type: 'text', maxLength: 500, label: 'Town' }],
		['zip', ['01234', '12345'], { name: 'zip', type: 'text', maxLength: 200, label: 'Zip' }],
		['newsletter', ['on', ''], { name: 'newsletter', type: 'checkbox', label: 'Newsletter' }],
		['firstName', ['Ann'], { name: 'firstName', type: 'text', maxLength: 200, label: 'First name' }],
		['Message', ['x'.repeat(700)], { name: 'Message', type: 'text', maxLength: 10_000 }],
		[
			'topic',
			many(30, ['Sales', 'Help']),
			{ name: 'topic', type: 'select', options: ['Help', 'Sales'], label: 'Topic', required: true },
		],
		[
			'topic',
			[...many(30, ['Sales', 'Help']), 'Other'],
			{ name: 'topic', type: 'text', maxLength: 200, label: 'Topic', required: true },
		],
		[
			'days[]',
			many(30, [['Mo'], ['Mo', 'Tu']]),
			{ name: 'days[]', type: 'checkbox', options: ['Mo', 'Tu'], label: 'Days', required: true },
		],
		['nested', [{ a: 1 }], undefined],
		['empty', ['', null], undefined],
	])('for the field %s with %j', (name, values, rule) => {
		expect(ruleFor(name, values)).toEqual(rule as FieldRule);
	});

	test('for a file is one of files', () => {
		expect(suggest([{ values: { cv: 'cv.pdf' }, files: new Set(['cv']) }])).toEqual([
			{ name: 'cv', type: 'file', label: 'Cv' },
		]);
	});

	test('has at most a hundred rules', () => {
		const values = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, 'x']));
		expect(suggest([{ values, files: NO_FILES }])).toHaveLength(100);
	});
});
