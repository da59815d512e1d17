/** The bytes of imported files, which come behind their submissions. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Form } from '../../../src/forms/schema.ts';
import { decodeId } from '../../../src/ids.ts';
import type { ImportReport } from '../../../src/submissions/import/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { attach, randomBytes } from '../files/attached.ts';

const MIB = 2 ** 20;
let server: TestServer;
let form: Form;
let count = 0;

beforeAll(async () => {
	server = await openTestServer({
		settings: { FORMSRV_FILES_QUOTA: '64MiB', FORMSRV_SCAN: 'clamd:tcp://127.0.0.1:1' },
	});
});
afterAll(() => server.close());
beforeEach(async () => {
	form = await server.createForm<Form>({ name: 'Jobs' });
});

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

interface Missing {
	/** Path of the file. */
	path: `/api/${string}`;
	bytes: Uint8Array<ArrayBuffer>;
}

/** Imports a submission with files of these bytes. */
async function importFiles(...contents: Uint8Array<ArrayBuffer>[]): Promise<Missing[]> {
	const files = contents.map((bytes, i) => ({
		...{
			id: 'c0',
			field: 'cv',
			name: `cv ${i}.pdf`,
			type: 'application/pdf',
			size: bytes.length,
			sha256: sha256(bytes),
		},
	}));
	const { body, text } = await server.call<ImportReport>(`POST /api/forms/${form.id}/import`, {
		headers: { 'Content-Type': 'application/x-ndjson' },
		body: JSON.stringify({ data: { n: ++count }, createdAt: '2024-01-02T03:04:05Z', files }),
	});
	const [missing] = body.missingFiles;
	if (!missing) throw new Error(text);
	const path = `/api/forms/${form.id}/submissions/${missing.submissionId}/files` as const;
	return missing.files.map(({ id }, i) => ({ path: `${path}/${id}`, bytes: contents[i] as Uint8Array<ArrayBuffer> }));
}

const send = ({ path }: Missing, body: Uint8Array<ArrayBuffer>) =>
	server.call<{ isKept?: false; scan?: string; error?: string }>(`POST ${path}/content`, {
		headers: { 'Content-Type': 'application/octet-stream' },
		body,
	});
const download = async ({ path }: Missing) => {
	const response = await fetch(server.baseUrl + path, { headers: { Authorization: `Bearer ${server.adminKey}` } });
	return response.ok ? new Uint8Array(await response.arrayBuffer()) : response.status;
};
const objects = async () => {
	const found: number[] = [];
	for await (const { bytes } of server.app.files.store.list()) found.push(bytes);
	return found;
};
const counted = () => server.app.storage.submissions.fileBytes(decodeId(form.id));

describe('POST …/files/{fileId}/content', () => {
	test('keeps them, counts them, and has them scanned', async () => {
		const [small, large, empty] = await importFiles(randomBytes(5000), randomBytes(3 * MIB), randomBytes(0));
		for (const one of [small, large, empty] as Missing[]) {
			expect(await download(one)).toBe(404);
			expect((await send(one, one.bytes)).body).toMatchObject({ size: one.bytes.length, scan: 'unchecked' });
			expect(await download(one)).toEqual(one.bytes);
		}
		expect(await counted()).toBe(5000 + 3 * MIB + 4096);
		expect((await send(small as Missing, (small as Missing).bytes)).status).toBe(200);
		expect(await counted()).toBe(5000 + 3 * MIB + 4096);
	});

	test('rejects others, and keeps nothing of them', async () => {
		const [file] = (await importFiles(randomBytes(200_000))) as [Missing];
		const before = (await objects()).length;
		const changed = file.bytes.slice();
		changed[100_000] = (changed[100_000] as number) ^ 1;
		for (const wrong of [changed, file.bytes.slice(1), new Uint8Array([...file.bytes, 0]), randomBytes(4 * MIB)]) {
			const { status, body } = await send(file, wrong);
			expect([status, body.error]).toEqual([400, expect.stringContaining('not the bytes of "cv 0.pdf"')]);
		}
		expect([(await objects()).length, await counted(), await download(file)]).toEqual([before, 0, 404]);
	});

	test('sent by several at once, they are kept and counted once', async () => {
		const [file] = (await importFiles(randomBytes(100_000))) as [Missing];
		const before = (await objects()).length;
		const responses = await Promise.all(Array.from({ length: 8 }, () => send(file, file.bytes)));
		expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
		expect([(await objects()).length, await counted()]).toEqual([before + 1, 100_000]);
		expect(await download(file)).toEqual(file.bytes);
	});

	test('what the quota has no room for is rejected', async () => {
		const [file] = (await importFiles(randomBytes(33 * MIB))) as [Missing];
		const { status, text } = await send(file, file.bytes);
		expect([status, text]).toEqual([413, expect.stringContaining('FILES_FULL')]);
		expect(await counted()).toBe(0);
	});

	test('goes with the submission', async () => {
		const [file] = (await importFiles(randomBytes(10))) as [Missing];
		await send(file, file.bytes);
		await server.call(`DELETE ${file.path.replace(/\/files\/\w+$/, '') as '/api/'}`);
		expect([await counted(), await download(file)]).toEqual([0, 404]);
	});

	test('another file, form or mode is not found', async () => {
		const [file] = (await importFiles(randomBytes(10))) as [Missing];
		const other = await server.createForm<Form>({ name: 'Other' });
		const elsewhere = file.path.replace(form.id, other.id) as '/api/';
		expect((await send({ ...file, path: elsewhere }, file.bytes)).status).toBe(404);
		expect((await send({ ...file, path: `${file.path}0` }, file.bytes)).status).toBe(404);
		const key = await server.createKey({ mode: 'test' });
		expect((await server.call(`POST ${file.path}/content`, { key, body: 'x' })).status).toBe(404);
	});
});

test('an import names what is missing, also of submissions that are there', async () => {
	await server.call(`PATCH /api/forms/${form.id}`, { json: { files: {} } });
	const { path, files } = await attach(server, [new File(['a'], 'a.txt'), new File(['b'], 'b.txt')], {
		slug: form.slug,
	});
	const { text } = await server.call(`GET /api/forms/${form.id}/export?format=ndjson`);
	await server.call(`DELETE ${path}`);
	const call = { headers: { 'Content-Type': 'application/x-ndjson' }, body: text };
	const reports: ImportReport[] = [];
	for (let i = 0; i < 2; i++)
		reports.push((await server.call<ImportReport>(`POST /api/forms/${form.id}/import`, call)).body);
	expect(reports).toMatchObject([
		{ imported: 1, known: 0 },
		{ imported: 0, known: 1 },
	]);
	expect(reports[1]?.missingFiles).toEqual(reports[0]?.missingFiles as never);
	const [missing] = reports[0]?.missingFiles ?? [];
	expect(missing?.files.map(({ name, isKept }) => [name, isKept])).toEqual(files.map(({ name }) => [name, false]));
});
