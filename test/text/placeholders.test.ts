import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { fillPlaceholders, placeholderProblem, placeholdersIn } from '../../src/text/placeholders.ts';

const BOUNDS = { valueMax: 100, totalMax: 1_000 };
const values = {
	'form.name': 'Contact',
	'submission.url': 'https://forms.example.com/#/1',
	fields: [
		{ name: 'name', text: 'Ada' },
		{ name: 'trap', text: '{{name}}' },
		{ name: '$&', text: '$1$&$$' },
		{ name: '__proto__', text: 'plain' },
		{ name: 'form.name', text: 'of the visitor' },
		{ name: 'Straße 東京', text: 'yes' },
	],
};

test.each([
	['New: {{form.name}} from {{ name }}', 'New: Contact from Ada'],
	['{{trap}}', '{{name}}'],
	['{{$&}}', '$1$&$$'],
	['{{__proto__}}{{constructor}}{{toString}}', 'plain'],
	['{{Straße 東京}}', 'yes'],
	['{{missing}}', ''],
	['{{submission.id}}', ''],
	['no placeholder }} { {', 'no placeholder }} { {'],
	['{{{name}}}', '{Ada}'],
])('%j is filled in as %j', (text, expected) => {
	expect(fillPlaceholders(text, values, BOUNDS)).toBe(expected);
});

test.each([
	['{{#if name}}x{{/if}}', 'logic'],
	['{{ ^name }}', 'logic'],
	['{{> partial}}', 'logic'],
	['{{else}}', 'logic'],
	['{{&name}}', 'logic'],
	['{{}}', 'placeholders as {{field}}'],
	['{{  }}', 'empty placeholder'],
	['{{name', 'placeholders as {{field}}'],
	['{{a{b}}', 'placeholders as {{field}}'],
	[`{{${'a'.repeat(257)}}}`, '256 characters'],
	['{{form.nme}}', '{{form.name}}'],
	['{{submission.secret}}', '{{submission.url}}'],
])('%j is at fault', (text, part) => {
	expect(placeholderProblem(text)).toContain(part);
});

test.each(['', 'plain', '{{name}} {{ form.name }}', '{"a":{"b":"{{name}}"}}', '}}', '{{a.b}}', '{{formula}}'])(
	'%j is good',
	(text) => expect(placeholderProblem(text)).toBeUndefined(),
);

test('the names of a text in their order', () => {
	expect(placeholdersIn('{{b}}{{ a }}{{b}}')).toEqual(['b', 'a', 'b']);
});

test('many long values stay within the bounds, and no half of a pair is left', () => {
	const fields = [{ name: 'a', text: '😀'.repeat(1_000_000) }];
	const filled = fillPlaceholders('{{a}}'.repeat(10_000), { fields }, { valueMax: 7, totalMax: 100 });
	expect(filled.length).toBeLessThanOrEqual(100);
	expect(filled.isWellFormed()).toBe(true);
});

test('any values in any text: what the owner wrote stays, in its order', () => {
	fc.assert(
		fc.property(
			fc.array(fc.stringMatching(/^[^{}]*$/), { minLength: 1 }),
			fc.string({ unit: 'binary' }),
			(parts, text) => {
				const filled = fillPlaceholders(
					parts.join('{{a}}'),
					{ fields: [{ name: 'a', text }] },
					{ valueMax: 1e6, totalMax: 1e6 },
				);
				expect(filled).toBe(parts.join(text));
			},
		),
	);
});
