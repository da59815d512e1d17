/** Attacks by bodies: rejected by the limit they exceed, while the server serves other requests. */

import { afterAll, expect, test } from 'bun:test';
import { openTestServer, readAnswer } from '../server.ts';
import { sendRaw } from './raw.ts';

const server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
afterAll(server.close);
await server.app.forms.create('live', { name: 'Contact', slug: 'contact' });

const MIB = 1024 * 1024;
const parts = (count: number) =>
	`${Array.from({ length: count }, (_, i) => `--b\r\nContent-Disposition: form-data; name="f${i}"\r\n\r\nv\r\n`).join('')}--b--\r\n`;
const part = (head: string, value = 'v') => `--b\r\n${head}\r\n\r\n${value}\r\n--b--\r\n`;
const MULTIPART = 'multipart/form-data; boundary=b';
const URLENCODED = 'application/x-www-form-urlencoded';

const bodies: [string, string, string | Uint8Array, number, string][] = [
	['JSON 200,000 levels deep', 'application/json', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 400, 'INVALID_BODY'],
	['an object 200,000 levels deep', 'application/json', '{"a":'.repeat(150_000), 413, 'PAYLOAD_TOO_LARGE'],
	['JSON of 33 levels', 'application/json', `{"a":${'['.repeat(33)}${']'.repeat(33)}}`, 413, 'PAYLOAD_TOO_LARGE'],
	[
		'100,000 JSON members',
		'application/json',
		`{${Array.from({ length: 70_000 }, (_, i) => `"${i}":1`).join(',')}}`,
		413,
		'PAYLOAD_TOO_LARGE',
	],
	[
		'1,001 urlencoded fields',
		URLENCODED,
		Array.from({ length: 1001 }, (_, i) => `f${i}=1`).join('&'),
		413,
		'PAYLOAD_TOO_LARGE',
	],
	[
		'a million empty pairs and one field too many',
		URLENCODED,
		`${'&'.repeat(1_000_000)}${'a=1&'.repeat(1001)}`,
		413,
		'PAYLOAD_TOO_LARGE',
	],
	['100,000 parts', MULTIPART, parts(100_000), 413, 'PAYLOAD_TOO_LARGE'],
	['a name of 257 bytes', 'application/json', JSON.stringify({ ['x'.repeat(257)]: 1 }), 413, 'PAYLOAD_TOO_LARGE'],
	[
		'part headers of 1 MB',
		MULTIPART,
		part(`Content-Disposition: form-data; name="a"\r\nX-A: ${'x'.repeat(MIB)}`),
		413,
		'PAYLOAD_TOO_LARGE',
	],
	['a body over 1 MiB', 'application/json', JSON.stringify({ a: 'x'.repeat(MIB) }), 413, 'PAYLOAD_TOO_LARGE'],
	[
		'a multipart body over 25 MiB',
		MULTIPART,
		part('Content-Disposition: form-data; name="a"', 'x'.repeat(25 * MIB)),
		413,
		'PAYLOAD_TOO_LARGE',
	],
	['a body of 40 MiB, which no limit comes near', MULTIPART, 'x'.repeat(40 * MIB), 413, 'PAYLOAD_TOO_LARGE'],
	['malformed JSON', 'application/json', '{"a":1,}', 400, 'INVALID_BODY'],
	['cut-off JSON', 'application/json', '{"a":"b', 400, 'INVALID_BODY'],
	['JSON with bytes behind it', 'application/json', '{"a":1} x', 400, 'INVALID_BODY'],
	['a JSON list', 'application/json', '[1]', 400, 'INVALID_BODY'],
	['JSON null', 'application/json', 'null', 400, 'INVALID_BODY'],
	['a JSON text', 'application/json', '"x"', 400, 'INVALID_BODY'],
	['no body', 'application/json', '', 400, 'INVALID_BODY'],
	['a name given twice in JSON', 'application/json', '{"a":1,"a":2}', 400, 'INVALID_BODY'],
	[
		'JSON that is not UTF-8',
		'application/json',
		new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
		400,
		'INVALID_BODY',
	],
	['a form that is no UTF-8', URLENCODED, 'a=%ff', 400, 'INVALID_BODY'],
	[
		'a multipart value that is not UTF-8',
		MULTIPART,
		new Uint8Array(Buffer.from(part('Content-Disposition: form-data; name="a"', '\xff'), 'latin1')),
		400,
		'INVALID_BODY',
	],
	['multipart without boundary', 'multipart/form-data', parts(1), 400, 'INVALID_BODY'],
	['multipart with another boundary', 'multipart/form-data; boundary=c', parts(1), 400, 'INVALID_BODY'],
	[
		'multipart without its end',
		MULTIPART,
		'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nv',
		400,
		'INVALID_BODY',
	],
	['a part without a name', MULTIPART, part('Content-Disposition: form-data'), 400, 'INVALID_BODY'],
	[
		'a file that is encoded',
		MULTIPART,
		part('Content-Disposition: form-data; name="a"; filename="x.txt"\r\nContent-Transfer-Encoding: base64'),
		400,
		'INVALID_BODY',
	],
	['only special fields', 'application/json', '{"_next":"/x","_gotcha":""}', 400, 'EMPTY_SUBMISSION'],
	['another charset', 'application/json; charset=utf-16', '{"a":1}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
	['XML', 'application/xml', '<a/>', 415, 'UNSUPPORTED_MEDIA_TYPE'],
	['plain text', 'text/plain', 'a=1', 415, 'UNSUPPORTED_MEDIA_TYPE'],
];

test.each(bodies)(
	'%s is rejected with its reason, while other requests are served',
	async (...[, type, body, status, code]) => {
		const request = fetch(`${server.submitUrl}/f/contact`, {
			method: 'POST',
			headers: { 'Content-Type': type, Accept: 'application/json', Origin: 'https://example.com' },
			body: body as string,
		});
		const meanwhile = await fetch(`${server.submitUrl}/health`);
		const response = await readAnswer<{ success: boolean; code: string; error: string; requestId: string }>(
			await request,
		);
		expect(meanwhile.status).toBe(200);
		expect({ status: response.status, code: response.body.code }).toEqual({ status, code });
		expect(response.body.success).toBe(false);
		expect(response.body.requestId).toBe(response.headers.get('X-Request-Id') as string);
		expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
		const [form] = await server.app.forms.list();
		expect(form?.submissionCount).toBe(0);
	},
);

/** A body of undeclared size. */
function streamOf(bytes: number): ReadableStream {
	const chunk = new Uint8Array(64 * 1024);
	let sent = 0;
	return new ReadableStream({
		pull(controller) {
			if (sent > bytes) controller.close();
			else controller.enqueue(chunk);
			sent += chunk.length;
		},
	});
}

test.each([4, 40])('a chunked body of %i MiB is rejected without being read to its end', async (size) => {
	const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
	const addresses = [`${server.submitUrl}/f/contact`, `${server.baseUrl}/api/forms`];
	for (const address of addresses) {
		const response = await fetch(address, {
			method: 'POST',
			headers: { ...headers, Authorization: `Bearer ${server.adminKey}` },
			body: streamOf(size * MIB),
		});
		expect(response.status).toBe(413);
		expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
	}
});

test('a client that disconnects in the middle of a body causes no error', async () => {
	for (const [address, path] of [
		[server.submitUrl, '/f/contact'],
		[server.baseUrl, '/api/forms'],
	] as const) {
		const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.adminKey}`;
		await sendRaw(address, `${head}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"name":`);
	}
	const [form] = await server.app.forms.list();
	expect(form?.submissionCount).toBe(0);
});

test('a compressed body is rejected, not stored compressed', async () => {
	const response = await fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', Accept: 'application/json' },
		body: Bun.gzipSync('{"a":1}'),
	});
	expect(response.status).toBe(415);
});

test('no server error was logged for all of this', () => {
	expect(server.logLines).toEqual([]);
});
