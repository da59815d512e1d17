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
	'half a character is refused, because it could not be stored: %s',
	async (body) => {
		await expect(read(body)).rejects.toMatchObject({
			code: 'INVALID_BODY',
			message: expect.stringContaining('surrogate'),
		});
	},
);

test('a list that may be null is described so that null is not taken for one of its items', async () => {
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

test('a whole one is taken, also as two escapes, and a backslash before its letters is none', async () => {
	expect<unknown>(await read('{"name":"\\ud83d\\ude00","path":"\\\\ud800"}')).toEqual({ name: '😀', path: '\\ud800' });
});
