/** The words by which people know fields: labels, never two alike. */

import { expect, test } from 'bun:test';
import { type FieldRule, labelsOf } from '../../src/field-rules/rules.ts';

const named = (rules: Omit<FieldRule, 'type'>[] | null, names: string[]) =>
	names.map(labelsOf(rules?.map((rule) => ({ type: 'text', ...rule })) ?? null));

test('a field is known by the label of its rule, else by its name', () => {
	const rules = [{ name: 'email', label: 'Your e-mail' }, { name: 'zip' }, { name: 'x', label: ' ' }];
	expect(named(rules, ['email', 'zip', 'x', 'other', ''])).toEqual(['Your e-mail', 'zip', 'x', 'other', '']);
	expect(named(null, ['email'])).toEqual(['email']);
	expect(named([{ name: '__proto__', label: 'P' }], ['__proto__', 'constructor'])).toEqual(['P', 'constructor']);
});

test('of fields that would read alike each has its name behind', () => {
	const rules = [{ name: 'a', label: 'Name' }, { name: 'b', label: 'Name' }, { name: 'c', label: 'd' }, { name: 'd' }];
	expect(named(rules, ['a', 'b', 'c', 'd'])).toEqual(['Name (a)', 'Name (b)', 'd (c)', 'd (d)']);
});

test('a field without a rule cannot pass for another’s label', () => {
	const rules = [{ name: 'total', label: 'Amount' }];
	expect(named(rules, ['total', 'Amount'])).toEqual(['Amount', 'Amount (Amount)']);
});
