/** The file store in an S3 bucket: where an object lies, what fails, and what an error says. */

import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { S3Place } from '../../src/config/file-place.ts';
import { newKey, type StoredObject } from '../../src/files/file-store.ts';
import { openS3 } from '../../src/files/s3.ts';
import { createS3 } from '../../src/files/s3-requests.ts';
import { tempFolder } from '../temp-folder.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

setDefaultTimeout(60_000);

let server: S3Server;
let place: S3Place;
let folder: string;
beforeAll(async () => {
	server = await startS3Server();
});
afterAll(() => server.stop());
beforeEach(() => {
	({ s3: place, folder } = server.newPlace(tempFolder()));
});

const spool = () => (existsSync(folder) ? readdirSync(join(folder, 'incoming')) : []);

async function put(more: Partial<S3Place> = {}): Promise<string> {
	const writer = openS3({ ...place, ...more }, folder).create();
	await writer.write(randomBytes(100));
	await writer.finish();
	return writer.key;
}

test('an object lies under the prefix, and nothing of it stays on this machine', async () => {
	const key = await put();
	const client = new Bun.S3Client({ ...place, endpoint: server.endpoint });
	expect((await client.stat(`${place.prefix}/${key}`)).size).toBe(100);
	expect(spool()).toEqual([]);
	expect(openS3(place, folder).mayBeLate).toBe(true);
});

/** Bun signs for itself. */
test.each([{}, { sessionToken: 'FwoGZXIv+a/b=' }])('requests are signed as others sign them: %p', async (token) => {
	const asked: URL[] = [];
	const fetch = ({ url }: Request) => {
		asked.push(new URL(url));
		return new Response('');
	};
	const service = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
	const keys: S3Place & { endpoint: string } = { ...place, endpoint: service.url.origin, ...token };
	const signed = new URL(new Bun.S3Client(keys).presign('a/b c', { method: 'PUT', expiresIn: 900 }));
	const [date = ''] = signed.searchParams.getAll('X-Amz-Date');
	const at = new Date(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
	await createS3(keys, () => at).put({ path: 'a/b c', body: 'x', signal: AbortSignal.timeout(10_000) });
	const parametersOf = (url?: URL) => Object.fromEntries(url?.searchParams ?? []);
	expect(parametersOf(asked[0])).toEqual(parametersOf(signed));
	expect(parametersOf(asked[0])['X-Amz-Security-Token']).toBe(keys.sessionToken as string);
	await service.stop(true);
});

test('without a prefix it lies in the bucket itself', async () => {
	const key = await put({ prefix: '' });
	const client = new Bun.S3Client({ ...place, endpoint: server.endpoint });
	expect((await client.stat(key)).size).toBe(100);
	await openS3({ ...place, prefix: '' }, folder).remove([key]);
	expect(await client.exists(key)).toBe(false);
});

/** s3rver pages through an unsorted folder, so that its pages overlap; these are as the reference of S3 has them. */
test('a listing of several pages is read to its end', async () => {
	const [first, second] = [newKey(), newKey()];
	const asked: (string | null)[] = [];
	const content = (name: string) =>
		`<Contents><Key>${place.prefix}/${name}</Key><LastModified>2026-11-22T10:00:00.000Z</LastModified><Size>7</Size></Contents>`;
	const paged = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch({ url }) {
			const token = new URL(url).searchParams.get('continuation-token');
			asked.push(token);
			const page = token === null ? content(first) : content(second) + content('note.txt');
			const more = token === null;
			return new Response(
				`<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${page}${more ? '<NextContinuationToken>a/b+c=</NextContinuationToken>' : ''}</ListBucketResult>`,
			);
		},
	});
	const found: StoredObject[] = [];
	for await (const object of openS3({ ...place, endpoint: paged.url.origin }, folder).list()) found.push(object);
	const changedAt = Date.parse('2026-11-22T10:00:00.000Z');
	expect(found).toEqual([first, second].map((key) => ({ key, bytes: 7, changedAt })));
	expect(asked).toEqual([null, 'a/b+c=']);
	await paged.stop(true);
});

test.each([
	['again and again', '<NextContinuationToken>a</NextContinuationToken>'],
	['not at all', '<NextMarker>a</NextMarker>'],
])('a listing that is cut off and names its next page %s is an error', async (_how, next) => {
	const circling = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch: () =>
			new Response(
				`<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>&#x110000;</Key></Contents>${next}</ListBucketResult>`,
			),
	});
	const list = openS3({ ...place, endpoint: circling.url.origin }, folder).list();
	await expect(Array.fromAsync(list)).rejects.toThrow('failed at LIST: its list does not go on.');
	await circling.stop(true);
});

test.each([
	['a key that is not known', { accessKeyId: 'nobody' }, 'responded to PUT with 403 InvalidAccessKeyId'],
	['a wrong secret', { secretAccessKey: 'hunter2' }, 'responded to PUT with 403 SignatureDoesNotMatch'],
	['no such bucket', { bucket: 'nowhere' }, 'responded to PUT with 404 NoSuchBucket'],
	['no service', { endpoint: 'http://127.0.0.1:1' }, 'The S3 service at http://127.0.0.1:1 cannot be reached: '],
] as const)('%s is an error that says so, without the signature', async (_name, more, text) => {
	const failure = await put(more).catch((error) => error);
	expect(failure.message).toContain(text);
	expect(Bun.inspect(failure)).not.toMatch(/X-Amz|hunter2/);
	await expect(openS3({ ...place, ...more }, folder).check()).rejects.toThrow('The S3 service at http://127.0.0.1:');
});

test('a web server that responds to everything with success is no bucket', async () => {
	const web = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<html></html>') });
	const store = openS3({ ...place, endpoint: web.url.origin }, folder);
	await expect(store.check()).rejects.toThrow(`${web.url.origin} failed at PUT: it did not keep what was sent.`);
	await web.stop(true);
	await openS3(place, folder).check();
});

test('a bucket that is missing is not a missing file', async () => {
	await expect(openS3({ ...place, bucket: 'nowhere' }, folder).read(newKey())).rejects.toThrow('404 NoSuchBucket');
});

test('nor is a 404 that does not come from the service', async () => {
	const proxy = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch: () => new Response('no such host', { status: 404 }),
	});
	const store = openS3({ ...place, endpoint: proxy.url.origin }, folder);
	await expect(store.read(newKey())).rejects.toThrow('responded to GET with 404.');
	await proxy.stop(true);
});

test('a file that could not be sent stays until it is given up', async () => {
	const writer = openS3({ ...place, bucket: 'nowhere' }, folder).create();
	await writer.write(randomBytes(10));
	await expect(writer.finish()).rejects.toThrow('NoSuchBucket');
	expect(spool()).toHaveLength(1);
	await writer.abort().catch(() => {});
	expect(spool()).toEqual([]);
});

test('a failure of the service is tried again', async () => {
	let failures = 0;
	const broken = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			await request.arrayBuffer();
			return new Response('', { status: failures++ < 2 ? 503 : 200 });
		},
	});
	await put({ endpoint: broken.url.origin });
	expect(failures).toBe(3);
	failures = 0;
	await openS3({ ...place, endpoint: broken.url.origin }, folder).remove([newKey()]);
	expect(failures).toBe(3);
	await broken.stop(true);
});

test('a request without a response is given up, and not tried again: a visitor waits for it', async () => {
	let requests = 0;
	const silent = Promise.withResolvers<Response>();
	const stalling = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch() {
			requests++;
			return silent.promise;
		},
	});
	const store = openS3({ ...place, endpoint: stalling.url.origin }, folder, { stallMs: 300 });
	const writer = store.create();
	await writer.write(randomBytes(10));
	await expect(writer.finish()).rejects.toThrow('did not respond in time');
	await expect(store.read(newKey())).rejects.toThrow('did not respond in time');
	expect(requests).toBe(2);
	silent.resolve(new Response(''));
	await stalling.stop(true);
});

test('an error of the connection does not name the signed address', async () => {
	const babbling = Bun.listen({
		hostname: '127.0.0.1',
		port: 0,
		socket: { data: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: zz\r\n\r\n') },
	});
	const store = openS3({ ...place, endpoint: `http://127.0.0.1:${babbling.port}` }, folder);
	const failure = await store.read(newKey()).catch((error) => error);
	expect(failure.message).toContain(`The S3 service at http://127.0.0.1:${babbling.port} cannot be reached: `);
	expect(Bun.inspect(failure)).not.toMatch(/X-Amz/);
	babbling.stop(true);
});

test('an error of the connection is a sentence for operators', async () => {
	const closing = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.end() } });
	const endpoint = `http://127.0.0.1:${closing.port}`;
	await expect(openS3({ ...place, endpoint }, folder).read(newKey())).rejects.toThrow(
		`The S3 service at ${endpoint} cannot be reached: ECONNRESET, The socket connection was closed unexpectedly.`,
	);
	closing.stop(true);
});

test('neither are the short requests waited for without end', async () => {
	const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
	const endpoint = `http://127.0.0.1:${silent.port}`;
	const store = openS3({ ...place, endpoint }, folder, { stallMs: 100 });
	const list = async () => {
		for await (const _ of store.list()) throw new Error('There is nothing to list.');
	};
	for (const act of [list, store.check, () => store.remove([newKey()])]) {
		await expect(act()).rejects.toThrow(`The S3 service at ${endpoint} failed at `);
	}
	silent.stop(true);
});

test('a response that stalls in the middle is an error, however slowly it was read before', async () => {
	const stalling = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		idleTimeout: 0,
		fetch() {
			const begun = new ReadableStream({ start: (controller) => controller.enqueue(randomBytes(100)) });
			return new Response(begun);
		},
	});
	const store = openS3({ ...place, endpoint: stalling.url.origin }, folder, { stallMs: 100 });
	const reader = (await store.read(newKey())).getReader();
	// Longer than it may stall.
	await Bun.sleep(200);
	expect((await reader.read()).value?.length).toBe(100);
	await expect(reader.read()).rejects.toThrow(`The S3 service at ${stalling.url.origin} failed at GET: `);
	await stalling.stop(true);
});
