/** The names of attached files are no text to the score: neither when a submission arrives, nor when it teaches or is explained. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SubmissionList } from '../../src/submissions/schema.ts';
import { withoutFileNames } from '../../src/text/json-string.ts';
import { openTestServer, type TestServer } from '../server.ts';

const NAME = 'txt viagra casino bonus lottery!.txt';

let server: TestServer;
beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

async function judged(slug: string, parts: [name: string, value: string | File][]) {
	const form = await server.app.forms.create('live', { name: slug, slug, files: { maxFiles: 5 } });
	const body = new FormData();
	for (const [name, value] of parts) body.append(name, value);
	const response = await fetch(`${server.submitUrl}/f/${slug}`, {
		method: 'POST',
		headers: { Accept: 'application/json' },
		body,
	});
	expect(response.status).toBe(200);
	const all = await server.call<SubmissionList>(`GET /api/forms/${form.id}/submissions`);
	const spam = await server.call<SubmissionList>(`GET /api/forms/${form.id}/submissions?filter=spam`);
	return [...all.body.submissions, ...spam.body.submissions][0] as SubmissionList['submissions'][number];
}

const file = () => new File(['Hello'], NAME);

test('a file may be called as it likes', async () => {
	const found = await judged('called', [
		['message', 'Hello! Here it is.'],
		['cv', file()],
		['cv', file()],
	]);
	expect(found.data).toEqual({ message: 'Hello! Here it is.', cv: [NAME, NAME] });
	expect([found.spamScore, found.spamReasons]).toEqual([0, []]);
});

test('a text is judged, though a file of the same field is called the same', async () => {
	const found = await judged('text', [
		['message', NAME],
		['message', file()],
	]);
	expect(found.spamReasons).toMatchObject([{ rule: 'words' }]);
});

test('as many values of a field are left out as it has files of that name, also of the beginning of a text', () => {
	const files = [
		{ field: 'cv', name: 'a "b".txt' },
		{ field: 'cv', name: 'c' },
	];
	const json = '{"c":"c","cv":["a \\"b\\".txt","c","c"],"n":1e400,"x":{"cv":"a \\"b\\".txt"}}';
	expect(withoutFileNames(json, files)).toBe('{"c":"c","cv":["","","c"],"n":1e400,"x":{"cv":"a \\"b\\".txt"}}');
	expect(withoutFileNames(json.slice(0, 26), files)).toBe('{"c":"c","cv":["a \\"b\\".tx');
	expect(withoutFileNames(json, [])).toBe(json);
});
