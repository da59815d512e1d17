/** Submissions whose stored text was damaged: named in their place, in everything that leaves, beside all others. */

import { afterEach, describe, expect, test } from 'bun:test';
import { eq, type SQL, sql } from 'drizzle-orm';
import { decodeId } from '../../src/ids.ts';
import { submissions } from '../../src/storage/tables.ts';
import type { SubmissionList } from '../../src/submissions/schema.ts';
import { testOnSqlite } from '../engine.ts';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;
afterEach(() => server.close());

const LARGE = 'x'.repeat(200_000);

async function open(texts: readonly string[]) {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
	const { id } = await server.app.forms.create('live', { name: 'Contact', slug: 'contact' });
	const ids: string[] = [];
	for (const text of texts) {
		const { headers } = await server.submit('contact', { text });
		ids.push(headers.get('Formsrv-Submission-Id') as string);
	}
	const write = (of: string, set: { data?: string | SQL; meta?: string }) =>
		server.app.storage.batch((tx) => [
			tx
				.update(submissions)
				.set(set)
				.where(eq(submissions.id, decodeId(of) as number)),
		]);
	const list = async (query = '') =>
		(await server.call<SubmissionList>(`GET /api/forms/${id}/submissions?order=asc${query}`)).body.submissions;
	return { id, ids, write, list };
}

test('is damaged in its place in lists, by itself and in exports; the others are there, and it is a finding', async () => {
	const { id, ids, write, list } = await open(['one', 'two', LARGE, LARGE, 'three']);
	const [, second, , fourth, fifth] = ids as [string, string, string, string, string];
	// Read before, so that they are known to be whole.
	expect(await list()).toHaveLength(5);
	await write(second, { data: '{"text":"two}' });
	await write(fourth, { data: `{"text":"${LARGE}` });
	await write(fifth, { meta: '{' });
	const shown = await list();
	expect(shown.map((one) => [one.id, one.damaged ?? false])).toEqual(
		ids.map((one) => [one, [second, fourth, fifth].includes(one)]),
	);
	expect(shown[0]?.data).toEqual({ text: 'one' });
	expect(shown[1]).toMatchObject({ data: {}, isRead: false, meta: null });
	expect((await server.call(`GET /api/forms/${id}/submissions/${second}`)).body).toMatchObject({ damaged: true });
	const exported = (format: string) => server.call(`GET /api/forms/${id}/export?format=${format}&order=asc`);
	const found = JSON.parse((await exported('json')).text) as { id: string; damaged?: true }[];
	expect(found.filter(({ damaged }) => damaged).map((one) => one.id)).toEqual([second, fourth, fifth]);
	for (const line of (await exported('ndjson')).text.trimEnd().split('\n')) JSON.parse(line);
	expect((await exported('csv')).text).toMatch(new RegExp(`${second},[^\\n]*\\(damaged\\)`));
	const { body } = await server.call<{ problems: { name: string }[] }>('GET /api/status');
	expect(JSON.stringify(body)).toContain('damage');
	// It can still be marked and removed.
	const change = { json: { isSpam: true } };
	expect((await server.call(`PATCH /api/forms/${id}/submissions/${second}`, change)).status).toBe(200);
	expect((await server.call(`DELETE /api/forms/${id}/submissions/${second}`)).status).toBe(200);
	expect((await list()).map((one) => one.id)).toEqual(ids.filter((one) => one !== second));
});

testOnSqlite('bytes that are not UTF-8 are damage, and the character that stands for such is none', async () => {
	const { ids, write, list } = await open(['a \ufffd b', 'plain']);
	await write(ids[1] as string, { data: sql`cast(x'7b2274657874223a22ff227d' as text)` });
	expect((await list()).map(({ data, damaged }) => [data, damaged])).toEqual([
		[{ text: 'a \ufffd b' }, undefined],
		[{}, true],
	]);
});

testOnSqlite('what is no text at all is damage, and holds up neither the list nor the search index', async () => {
	const { id, ids, write, list } = await open(['one', 'two', 'three', 'four']);
	const [first, second, third] = ids as [string, string, string];
	await write(first, { data: sql`cast('{"text":"one"}' as blob)` });
	await write(second, { data: '{"text":"tw\\qo"}' });
	expect((await list()).map(({ damaged }) => damaged ?? false)).toEqual([true, true, false, false]);
	expect((await server.call(`GET /api/forms/${id}/submissions/${first}`)).body).toMatchObject({ damaged: true });
	await server.app.storage.search.catchUp();
	expect((await list('&search=three')).map((one) => one.id)).toEqual([third]);
});

const problems = async () => JSON.stringify((await server.call<{ problems: object }>('GET /api/status')).body.problems);

describe.each(['csv', 'json', 'ndjson'])('an export as %s', (format) => {
	testOnSqlite(
		'names what is not UTF-8 any more as damaged, shows the others, and makes it a finding by itself',
		async () => {
			const { id, ids, write } = await open(['a \ufffd b', 'Hello', 'plain']);
			await write(ids[1] as string, { data: sql`cast(x'7b2274657874223a2248656cff6f227d' as text)` });
			const { text } = await server.call(`GET /api/forms/${id}/export?format=${format}&order=asc`);
			expect(text).toContain('a \ufffd b');
			expect(text).toContain('plain');
			expect(text.split('\ufffd')).toHaveLength(2);
			expect(text.match(/damaged/g)).toHaveLength(1);
			expect(await problems()).toContain(`The submission ${ids[1]} cannot be read.`);
		},
	);
});

test('a suggestion of field rules leaves out what is damaged, and makes it a finding by itself', async () => {
	const { id, ids, write } = await open(['one', 'two']);
	await write(ids[0] as string, { data: '{"text":"one}' });
	const { status, body } = await server.call(`GET /api/forms/${id}/fields/suggestion`);
	expect([status, body]).toMatchObject([200, { scanned: 1 }]);
	expect(await problems()).toContain(`The submission ${ids[0]} cannot be read.`);
});
