/** Attached files come back exactly, through the whole server and off the disk. */

import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cleanFileName } from '../../../src/files/file-name.ts';
import { openTestServer } from '../../server.ts';
import { boundary, bytesFor, cut, encode, filename, wellFormed } from './sent-files.ts';

const RUNS = 150;
const LARGE = 200_000;
/** Smaller ones, of which the server takes some and rejects many, are for the tests of the parser alone. */
const MIN_CHUNK = 64;

const server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0' } });
afterAll(server.close);
const form = await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
const list = `/api/forms/${form.id}/submissions` as const;

interface Stored {
	id: string;
	files: { id: string; field: string; name: string; size: number }[];
}

const body = boundary.chain((delimiter) => {
	const file = fc.record({
		// PostgreSQL has no NUL in a name.
		name: wellFormed.filter((name) => !/^_|\0/.test(name)),
		filename: filename.filter((name) => name !== ''),
		value: fc.oneof(bytesFor(delimiter), fc.constant(Buffer.alloc(LARGE, '\r'))),
		type: fc.constantFrom('image/png', 'text/html', ''),
	});
	return fc.record({
		delimiter: fc.constant(delimiter),
		files: fc.array(file, { minLength: 1, maxLength: 5 }),
		sizes: fc.array(fc.integer({ min: MIN_CHUNK, max: 20_000 }), { minLength: 1, maxLength: 5 }),
	});
});

function streamOf(chunks: Iterator<Uint8Array>): ReadableStream {
	return new ReadableStream({
		pull(controller) {
			const { done, value } = chunks.next();
			if (done) controller.close();
			else controller.enqueue(value);
		},
	});
}

test('files of any names and bytes are downloaded as they were sent, whatever the boundary and the chunks', async () => {
	await fc.assert(
		fc.asyncProperty(body, async ({ delimiter, files, sizes }) => {
			const { status } = await fetch(`${server.submitUrl}/f/jobs`, {
				method: 'POST',
				headers: { Accept: 'application/json', 'Content-Type': `multipart/form-data; boundary="${delimiter}"` },
				body: streamOf(cut(encode(files, delimiter), sizes)),
			});
			expect(status).toBe(200);
			const { submissions } = (await server.call<{ submissions: Stored[] }>(`GET ${list}?limit=1`)).body;
			const [newest] = submissions as [Stored];
			expect(newest.files.map(({ field, name, size }) => [field, name, size])).toEqual(
				files.map((sent) => [sent.name, cleanFileName(sent.filename), sent.value.length]),
			);
			for (const [i, { id }] of newest.files.entries()) {
				const response = await fetch(`${server.baseUrl}${list}/${newest.id}/files/${id}`, {
					headers: { Authorization: `Bearer ${server.adminKey}` },
				});
				expect(files[i]?.value.equals(await response.bytes())).toBe(true);
			}
			await server.call(`DELETE ${list}/${newest.id}`);
		}),
		{ numRuns: RUNS },
	);
}, 60_000);
