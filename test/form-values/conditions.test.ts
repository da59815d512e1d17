import { describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import {
	type Condition,
	checkConditions,
	conditionsSchema,
	fieldTexts,
	matches,
} from '../../src/form-values/conditions.ts';

const DATA =
	'{"topic":" Sales ","tags":["Red","deep blue",7],"big":12345678901234567890,"none":null,"empty":"  ",' +
	'"list":[],"__proto__":"x","name":"Ångström","agreed":true,"cv":["cv.pdf"],"lines":"one\\r\\ntwo"}';

const holds = (...conditions: Condition[]) => matches(conditions, fieldTexts(DATA));

describe('a condition', () => {
	test.each<[Condition, boolean]>([
		[{ field: 'topic', is: 'sales' }, true],
		[{ field: 'topic', is: 'sale' }, false],
		[{ field: 'topic', contains: 'ALE' }, true],
		[{ field: 'Topic', is: 'sales' }, false],
		[{ field: 'tags', is: 'deep BLUE' }, true],
		[{ field: 'tags', is: 'blue' }, false],
		[{ field: 'tags', contains: 'blue' }, true],
		[{ field: 'tags', is: '7' }, true],
		[{ field: 'big', is: '12345678901234567890' }, true],
		[{ field: 'agreed', is: 'true' }, true],
		[{ field: 'name', is: 'ÅNGSTRÖM' }, true],
		[{ field: 'lines', is: 'One\nTwo' }, true],
		[{ field: 'lines', contains: 'e\r\nt' }, true],
		[{ field: 'lines', is: 'one two' }, false],
		[{ field: '__proto__', is: 'x' }, true],
		[{ field: 'constructor', exists: true }, false],
		[{ field: 'toString', exists: false }, true],
		[{ field: 'none', exists: true }, false],
		[{ field: 'empty', exists: true }, false],
		[{ field: 'list', exists: true }, false],
		[{ field: 'cv', exists: true }, true],
		[{ field: 'cv', exists: false }, false],
		[{ field: 'missing', contains: 'a' }, false],
	])('%j is %p', (condition, result) => {
		expect(holds(condition)).toBe(result);
	});

	test('has to hold with all others', () => {
		expect(holds({ field: 'topic', is: 'sales' }, { field: 'cv', exists: true })).toBe(true);
		expect(holds({ field: 'topic', is: 'sales' }, { field: 'cv', exists: false })).toBe(false);
		expect(holds()).toBe(true);
		expect(matches(null, fieldTexts('not read'))).toBe(true);
	});
});

test.each<[Condition[], string[]]>([
	[[{ field: 'a', is: 'b' }], []],
	[[{ field: 'a', exists: false }], []],
	[[{ field: 'a' }], ['where.0']],
	[[{ field: 'a', is: 'b', exists: true }], ['where.0']],
	[[{ field: ' ', is: 'b' }], ['where.0.field']],
	[[{ field: 'a', contains: '' }], ['where.0.contains']],
	[[{ field: 'a', is: 'b'.repeat(201) }], ['where.0.is']],
	[Array(6).fill({ field: 'a', is: 'b' }), ['where']],
])('%j has the faults %j', (conditions, faults) => {
	const found: string[] = [];
	checkConditions(conditions, { field: 'where', report: (_code, _message, field) => found.push(field) });
	expect(found).toEqual(faults);
});

test('the schema rejects other members and types', () => {
	const schema = conditionsSchema({ Type }, 'When.');
	expect(Value.Check(schema, [{ field: 'a', is: 'b' }])).toBe(true);
	expect(Value.Check(schema, [{ field: 'a', matches: '.*' }])).toBe(false);
	expect(Value.Check(schema, [{ field: 'a', exists: 'yes' }])).toBe(false);
	expect(Value.Check(schema, [{ is: 'b' }])).toBe(false);
});
