/** Values to try a form with keep to its rules. */

import { expect, test } from 'bun:test';
import { atOnce, createFieldCheck } from '../../src/field-rules/check.ts';
import type { FieldRule } from '../../src/field-rules/rules.ts';
import { sampleOf } from '../../src/field-rules/sample.ts';

const faults = (rule: FieldRule) =>
	atOnce(
		createFieldCheck([{ ...rule, required: true }])({ values: { [rule.name]: sampleOf(rule) }, files: new Set() }),
	);

test.each<Omit<FieldRule, 'name'>>([
	{ type: 'text' },
	{ type: 'text', minLength: 40, maxLength: 41 },
	{ type: 'text', maxLength: 1 },
	{ type: 'email' },
	{ type: 'email', maxLength: 6 },
	{ type: 'email', minLength: 50 },
	{ type: 'email', pattern: '.+@example\\.org' },
	{ type: 'email', pattern: '[a-z.]+@(?:sales|help)\\.example\\.org', minLength: 30 },
	{ type: 'url' },
	{ type: 'url', maxLength: 10 },
	{ type: 'url', minLength: 60 },
	{ type: 'url', pattern: 'https://.*' },
	{ type: 'tel', maxLength: 5 },
	{ type: 'tel', minLength: 20 },
	{ type: 'tel', pattern: '\\+49[0-9 \\-\\/]{6,}' },
	{ type: 'number' },
	{ type: 'number', max: -3 },
	{ type: 'number', min: 2.5, max: 2.6 },
	{ type: 'number', max: 0 },
	{ type: 'date' },
	{ type: 'date', max: '1999-12-31' },
	{ type: 'date', min: '2099-02-28' },
	{ type: 'select', options: ['Sales & more', 'Help'] },
	{ type: 'select' },
	{ type: 'checkbox' },
	{ type: 'checkbox', options: ['Mo', 'Tu'] },
	{ type: 'text', pattern: '\\d{5}' },
	{ type: 'text', pattern: '[A-Z]{2}-\\d{4}(?:-x)?' },
	{ type: 'text', pattern: '^(?<year>19|20)\\d\\d$' },
	{ type: 'text', pattern: '(?:yes|no)+', minLength: 5 },
	{ type: 'text', pattern: '[^a-zA-Z0-9 ]+' },
	{ type: 'text', pattern: '[\\p{L}--[a-z]]{3}' },
	{ type: 'text', pattern: '\\p{Script=Han}{2}' },
	{ type: 'text', pattern: '\\u{61}\\x62\\u0063\\.' },
	{ type: 'text', pattern: 'a|b', maxLength: 1 },
	{ type: 'text', pattern: '.{3,}', minLength: 8 },
	{ type: 'text', pattern: '(?:ab){1,2}', minLength: 4 },
	{ type: 'text', pattern: '[[a-z]&&[aeiou]]{2}[\\]x]' },
])('%j', (rule) => {
	expect(faults({ name: 'field', ...rule })).toEqual([]);
});

test.each<Omit<FieldRule, 'name'>>([
	{ type: 'file' },
	{ type: 'text', pattern: '[\\p{Script=Thai}]' },
	{ type: 'text', pattern: 'ab', minLength: 3 },
	{ type: 'email', pattern: '\\d+' },
])('%j has none, and none is made up', (rule) => {
	expect(sampleOf({ name: 'field', ...rule })).toBeUndefined();
});
