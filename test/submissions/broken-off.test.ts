/** Long responses break off when whoever reads them may not any more, or what they are of is gone. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { connect } from 'node:net';
import { openTestServer, type TestServer } from '../server.ts';
import { type Attached, attach, randomBytes } from './files/attached.ts';

setDefaultTimeout(120_000);

/** More than the buffers between server and client hold. */
const FILE = new File([randomBytes(24 * 2 ** 20)], 'large.bin');
const LARGE_TEXTS = 30;
const SMALL_FILE = new File(['x'], 'small.bin');

let server: TestServer;
let made = 0;

interface Case {
	sent: Attached;
	key: string;
	keyId: string;
}

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
});
afterAll(() => server.close());

/** A form with a file and a key that may read; what the response has of it is large. */
async function prepare(name = ''): Promise<Case> {
	const slug = `large-${++made}`;
	const isOfTexts = OF_TEXTS.has(name);
	await server.app.forms.create('live', { name: 'Large', slug, files: { maxBytes: FILE.size } });
	const sent = await attach(server, [isOfTexts ? SMALL_FILE : FILE], { slug });
	for (let i = 0; isOfTexts && i < LARGE_TEXTS; i++) await server.submit(slug, { text: 'x'.repeat(900_000) });
	const json = { permissions: ['read'] };
	const { body } = await server.call<{ key: string; id: string }>('POST /api/keys', { json });
	return { sent, key: body.key, keyId: body.id };
}

const RESPONSES: Record<string, (of: Case) => string | Promise<string>> = {
	'an export': ({ sent }) => `/api/forms/${sent.formId}/export?format=ndjson&order=asc`,
	'a page of large submissions': ({ sent }) => `/api/forms/${sent.formId}/submissions?limit=100`,
	'a file': ({ sent }) => `${sent.path}/files/${sent.files[0]?.id}`,
	'an archive of files': ({ sent }) => `${sent.path}/files.zip`,
	'a file by a link': async ({ sent, key }) => {
		const link = `POST ${sent.path}/files/${sent.files[0]?.id}/link` as const;
		const { body } = await server.call<{ url: string }>(link, { key, json: {} });
		return body.url.slice(server.baseUrl.length);
	},
};

const ENDS: Record<string, (of: Case) => Promise<unknown>> = {
	'its key is revoked': ({ keyId }) => server.call(`DELETE /api/keys/${keyId}`),
	'its form is deleted': ({ sent }) => server.call(`DELETE /api/forms/${sent.formId}`),
};

/** @returns whether the response came to its end, of which all is read after `meanwhile` */
function isWhole(path: string, key: string, meanwhile: () => Promise<unknown>): Promise<boolean> {
	const { hostname, port, host } = new URL(server.baseUrl);
	const socket = connect(Number(port), hostname);
	const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${key}`, 'Connection: close'];
	socket.write(`${lines.join('\r\n')}\r\n\r\n`);
	let end = '';
	socket.once('data', async (head) => {
		socket.pause();
		expect(head.toString('latin1')).toStartWith('HTTP/1.1 200 ');
		await meanwhile();
		socket.on('data', (piece: Buffer) => {
			end = (end + piece.subarray(-16).toString('latin1')).slice(-16);
		});
		socket.resume();
	});
	return new Promise((resolve) => socket.once('close', () => resolve(end.endsWith('\r\n0\r\n\r\n'))));
}

/** Files have no part in these. */
const OF_TEXTS = new Set(['an export', 'a page of large submissions']);

describe.each(Object.entries(RESPONSES))('%s', (name, pathOf) => {
	test('is whole if nothing happens', async () => {
		const of = await prepare(name);
		expect(await isWhole(await pathOf(of), of.key, async () => {})).toBe(true);
	});

	test.each(Object.entries(ENDS))('breaks off when %s', async (_, end) => {
		const of = await prepare(name);
		expect(await isWhole(await pathOf(of), of.key, () => end(of))).toBe(false);
	});
});

test.each(['a file', 'an archive of files', 'a file by a link'])(
	'%s breaks off when its submission is deleted',
	async (name) => {
		const of = await prepare(name);
		const path = (await RESPONSES[name]?.(of)) ?? '';
		expect(await isWhole(path, of.key, () => server.call(`DELETE ${of.sent.path}`))).toBe(false);
	},
);

test('a stream of events ends with the last form of its key', async () => {
	const { sent } = await prepare();
	const key = await server.createKey({ form: sent.formId });
	const response = await fetch(`${server.baseUrl}/api/events`, { headers: { Authorization: `Bearer ${key}` } });
	await server.call(`DELETE /api/forms/${sent.formId}`);
	expect(await response.text()).toStartWith('retry: ');
});
