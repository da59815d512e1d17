/** Attached files in exports: listed in every format, and nothing else than before for forms without any. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../../server.ts';
import { readCsv } from '../csv-reader.ts';
import { type Attached, attach } from './attached.ts';

let server: TestServer;
let sent: Attached;

beforeAll(async () => {
	server = await openTestServer();
	await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
	await server.app.forms.create('live', { name: 'Plain', slug: 'plain' });
	await server.submit('jobs', { name: 'Grace' });
	sent = await attach(server, [new File(['a'], '=cmd.txt'), new File(['b'], 'b "2".txt')]);
	await server.submit('plain', { name: 'Ada' });
});
afterAll(() => server.close());

const read = async (slug: string, query: string) => {
	const form = (await server.app.forms.list()).find((each) => each.slug === slug);
	return (await server.call(`GET /api/forms/${form?.id}/export?order=asc&${query}`)).text;
};

test('JSON and NDJSON have them as the API has', async () => {
	const files = [[], sent.files];
	const json = JSON.parse(await read('jobs', 'format=json')) as Attached[];
	expect(json.map((each) => each.files)).toEqual(files);
	const lines = (await read('jobs', 'format=ndjson')).trimEnd().split('\n');
	expect(lines.map((line) => (JSON.parse(line) as Attached).files)).toEqual(files);
});

test('a CSV has them in a column behind the fields, as JSON', async () => {
	const [header, without, withFiles] = readCsv(await read('jobs', ''));
	expect(header?.slice(-8, -3)).toEqual(['file', 'spamScore', 'spamReasons', 'meta', 'attachedFiles']);
	expect(without?.at(-4)).toBe('');
	expect(JSON.parse(withFiles?.at(-4) ?? '')).toEqual(sent.files);
	expect(withFiles?.at(-8)).toBe(`["=cmd.txt","b \\"2\\".txt"]`);
});

test('a CSV of a form without files has no such column', async () => {
	expect(readCsv(await read('plain', ''))[0]).not.toContain('attachedFiles');
});
