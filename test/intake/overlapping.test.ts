/** Submissions that overtake each other on their way to the disk, through real sockets: each is in the list, once. */

import { afterEach, expect, test } from 'bun:test';
import { DEFAULT_FILE_RULES } from '../../src/form-values/file-rules.ts';
import type { SubmissionList } from '../../src/submissions/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

const ROUNDS = 6;
const UPLOADS = 8;
const LARGE_BYTES = 2_000_000;
const FILES = { ...DEFAULT_FILE_RULES, types: [] };

let server: TestServer;
afterEach(() => server.close());

/** The id that the sender is told. The first is the largest, and none comes in one piece. */
async function upload(slug: string, i: number): Promise<string> {
	const form = new FormData();
	form.append('n', `${i}`);
	if (i % 4 !== 3) form.append('file', new File([new Uint8Array(i === 0 ? LARGE_BYTES : 500 * i)], 'a.bin'));
	if (i % 4 === 2) form.append('_gotcha', 'robot');
	const whole = new Response(form);
	const type = whole.headers.get('Content-Type') as string;
	const bytes = await whole.bytes();
	const cuts = [0, Math.floor(bytes.length / (2 + i)), bytes.length];
	const body = new ReadableStream({
		async start(controller) {
			for (const [at, cut] of cuts.entries()) {
				controller.enqueue(bytes.subarray(cuts[at - 1] ?? 0, cut));
				await new Promise((resolve) => setImmediate(resolve));
			}
			controller.close();
		},
	});
	const headers = { Accept: 'application/json', 'Content-Type': type };
	const response = await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', body, headers });
	expect(response.status).toBe(200);
	return response.headers.get('Formsrv-Submission-Id') as string;
}

async function listed(formId: string, query: string, limit: number): Promise<string[]> {
	const ids: string[] = [];
	for (;;) {
		const path = `/api/forms/${formId}/submissions?limit=${limit}&offset=${ids.length}&${query}` as const;
		const { submissions, pagination } = (await server.call<SubmissionList>(`GET ${path}`)).body;
		ids.push(...submissions.map(({ id }) => id));
		if (!pagination.hasMore) return ids;
	}
}

test('uploads that overlap are listed once each, whatever their size, and what is deleted of them is counted out', async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
	for (let round = 0; round < ROUNDS; round++) {
		const slug = `form-${round}`;
		const { id } = await server.app.forms.create('live', { name: 'Jobs', slug, files: FILES });
		const told = await Promise.all(Array.from({ length: UPLOADS }, (_, i) => upload(slug, i)));
		const genuine = told.filter((_, i) => i % 4 !== 2).sort();
		for (const order of ['asc', 'desc']) {
			for (const limit of [3, 50]) {
				expect((await listed(id, `order=${order}`, limit)).sort()).toEqual(genuine);
				expect(await listed(id, `order=${order}&filter=spam`, limit)).toHaveLength(UPLOADS - genuine.length);
			}
		}
		const [gone, ...left] = genuine;
		await server.call(`DELETE /api/forms/${id}/submissions/${gone}`);
		expect((await listed(id, 'order=asc', 3)).sort()).toEqual(left);
	}
}, 60_000);
