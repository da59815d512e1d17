/** JSON bodies of management requests. */

import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { readJson } from '../../src/http/json-body.ts';

const read = (body: string) =>
	readJson(
		new Request('http://localhost/', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }),
		Type.Object({ name: Type.String() }, { additionalProperties: true }),
	);

test.each(['{"name":"\\ud800"}', '{"name":"a","list":["\\udfff"]}', '{"name":"a","\\uD83D":1}'])(
	'a lone surrogate is rejected, because it could not be stored: %s',
	async (body) => {
		await expect(read(body)).rejects.toMatchObject({
			code: 'INVALID_BODY',
			message: expect.stringContaining('surrogate'),
		});
	},
);

test.each(['{"name":"a\\u0000b"}', '{"name":"a","list":["\\u0000"]}', '{"name":"a","\\u0000":1}'])(
	'NUL is rejected, because not every database could store it: %s',
	async (body) => {
		await expect(read(body)).rejects.toMatchObject({ code: 'INVALID_BODY', message: expect.stringContaining('NUL') });
	},
);

test.each([
	['{"name":"a\\u0000b"}', 'name', 'name holds the character NUL, "\\u0000": leave it out.'],
	['{"name":"a","list":[{"b":"\\ud800"}]}', 'list.0.b', 'list.0.b holds half of a character, a lone surrogate'],
])('the member that has such a character is named: %s', async (body, field, words) => {
	await expect(read(body)).rejects.toMatchObject({
		code: 'INVALID_BODY',
		message: expect.stringContaining(words),
		details: { fields: [{ field, code: 'INVALID_TEXT' }] },
	});
});

test.each([
	['{"name":"a","name":"b"}', 'name'],
	['{"name":"a","n\\u0061me":"a"}', 'name'],
	['{"name":"a","list":[{"b":1},[],{"b":[1,2],"c":{"d":"{\\"","d":2}}]}', 'list.2.c.d'],
])('a name that an object has twice is named, because only the last would count: %s', async (body, field) => {
	await expect(read(body)).rejects.toMatchObject({
		code: 'VALIDATION_ERROR',
		details: { fields: [{ field, code: 'DUPLICATE', message: `${field} is there twice: leave one of them out.` }] },
	});
});

test('a name may come again in another object', async () => {
	const body = '{"name":"name","list":[{"name":1},{"name":{"name":"\\"name\\":"}}]}';
	expect<unknown>(await read(body)).toEqual(JSON.parse(body));
});

test('an object or list may be nested, up to a bound', async () => {
	const nested = (levels: number) => `{"name":"a","list":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
	expect(await read(nested(4000))).toMatchObject({ name: 'a' });
	for (const levels of [4001, 300_000])
		await expect(read(nested(levels))).rejects.toMatchObject({
			code: 'INVALID_BODY',
			message: 'Objects and arrays of the body may be nested at most 4000 levels deep.',
		});
});

test.each([
	['{"name":"a","n":0.12345678901234567890123}', 'n'],
	['{"name":"a","list":[1,{"n":12345678901234567890}]}', 'list.1.n'],
	['{"name":"a","n":9007199254740993}', 'n'],
	['{"name":"a","n":1e400}', 'n'],
	['{"name":"a","n":-1E-400}', 'n'],
	['{"name":"a","n":1.00000000000000000001}', 'n'],
])('a number whose digits would be lost is rejected: %s', async (body, field) => {
	await expect(read(body)).rejects.toMatchObject({
		code: 'VALIDATION_ERROR',
		details: { fields: [{ field, code: 'TOO_MANY_DIGITS', message: expect.stringContaining('or a text') }] },
	});
});

test('other numbers are taken however they are written', async () => {
	const numbers =
		'[1.10,-0,1e2,1E+300,100e-2,0.30000000000000004,9007199254740991,0.1000000000000000000,12345678901234567000]';
	expect<unknown>(await read(`{"name":"a","list":${numbers}}`)).toEqual({
		name: 'a',
		list: [1.1, -0, 100, 1e300, 1, 0.30000000000000004, 9007199254740991, 0.1, 12345678901234567000],
	});
});

test('an escaped backslash before u0000 is no NUL', async () => {
	expect<unknown>(await read('{"name":"\\\\u0000"}')).toEqual({ name: '\\u0000' });
});

test('the error for a nullable list does not name null as one of its items', async () => {
	const schema = Type.Object({ domains: Type.Union([Type.Array(Type.String()), Type.Null()]) });
	const request = new Request('http://localhost/', {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: '{"domains":"a.example"}',
	});
	await expect(readJson(request, schema)).rejects.toMatchObject({
		message: 'domains must be null or a list, each item a text.',
	});
});

test('a surrogate pair is accepted, also as two escapes; an escaped backslash is no escape', async () => {
	expect<unknown>(await read('{"name":"\\ud83d\\ude00","path":"\\\\ud800"}')).toEqual({ name: '😀', path: '\\ud800' });
});

test.each([
	['{"files":{"max":"5"}}', 'files.max must be a whole number from 1.'],
	['{"files":{"types":"image/*"}}', 'files.types must be a list of up to 3, each item a text of up to 9 characters.'],
	['{"files":{"count":5}}', '"files.count" is not known here. Known are: max, types, none.'],
	[
		'{"files":{"types":["a","b","c","d"]}}',
		'files.types must be a list of up to 3, each item a text of up to 9 characters.',
	],
	['{"files":{"types":["image/*.gif"]}}', 'files.types.0 must be a text of up to 9 characters.'],
	['{"files":{"none":{"a":1}}}', '"files.none.a" is not known here. There are none.'],
	['{"files":[]}', 'files must be an object or null.'],
])('of a nullable object the error names the member: %s', async (body, message) => {
	const types = Type.Array(Type.String({ maxLength: 9 }), { maxItems: 3 });
	const none = Type.Object({}, { additionalProperties: false });
	const members = { max: Type.Integer({ minimum: 1 }), types, none };
	const files = Type.Partial(Type.Object(members), { additionalProperties: false });
	const request = new Request('http://localhost/', {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body,
	});
	const schema = Type.Object({ files: Type.Union([files, Type.Null()]) });
	await expect(readJson(request, schema)).rejects.toMatchObject({ message });
});
