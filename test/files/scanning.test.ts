/** Files are scanned in the background by the real clamd; without it they stay unchecked until it is there. */

import { afterEach, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FileStore } from '../../src/files/file-store.ts';
import { openFolder } from '../../src/files/folder.ts';
import { startScanning } from '../../src/files/scanning.ts';
import { createLog } from '../../src/log/log.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { StoredFile } from '../../src/storage/submission.ts';
import { forms } from '../../src/storage/tables.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { MAX_STREAM_BYTES, startClamd, VIRUS } from './clamd-server.ts';

setDefaultTimeout(60_000);

const { path, test } = withProgram('clamd');

let storage: Storage;
let store: FileStore;
let scanner: string;
let lines: string[];
let stops: (() => Promise<unknown>)[];
beforeEach(async () => {
	const home = tempFolder();
	scanner = tempFolder();
	store = openFolder(join(home, 'files'));
	storage = await openStorage(join(home, 'formsrv.db'));
	await storage.batch((tx) => [tx.insert(forms).values({ id: 1, mode: 'live', slug: 'f', name: 'F' })]);
	lines = [];
	stops = [];
});
afterEach(async () => {
	for (const stop of stops.reverse()) await stop();
	await storage.close();
});

async function startScanner() {
	const clamd = await startClamd(path, scanner);
	stops.push(clamd.stop);
	return clamd;
}

function start(): void {
	const write = (text: Uint8Array) => lines.push(Buffer.from(text).toString());
	const log = createLog({ level: 'warn', format: 'json', write });
	const address = { socket: join(scanner, 'clamd.sock') };
	const options = { address, store, log, lookEveryMs: 20, retryAfterMs: 50, timeoutMs: 500 };
	stops.push(startScanning(storage, options), async () => log.flush());
}

/** A submission with a file of each content; its id. */
async function append(...contents: Uint8Array[]): Promise<number> {
	const files: StoredFile[] = [];
	for (const [index, content] of contents.entries()) {
		const writer = store.create();
		await writer.write(content);
		await writer.finish();
		const names = { field: 'cv', name: `${index}`, type: 'a/b', claimedType: '' };
		const sha256 = createHash('sha256').update(content).digest('hex');
		const rest = { bytes: content.length, sha256, scan: 'unchecked' as const };
		files.push({ ...names, ...rest, id: storage.nextId(), key: writer.key });
	}
	return storage.submissions.append({
		formId: 1,
		data: '{}',
		names: [],
		spamReason: null,
		subject: null,
		replyTo: null,
		files,
	});
}

const scansOf = async (id: number) => (await storage.submissions.files([id])).get(id)?.map(({ scan }) => scan);

async function becomes(id: number, ...scans: string[]): Promise<void> {
	await until(async () => Bun.deepEquals(await scansOf(id), scans));
}

const problems = () => storage.findings.list().map(({ name }) => name);

test('each file becomes clean or infected, those of later submissions too', async () => {
	await startScanner();
	const first = await append(randomBytes(1000), Buffer.from(`x${VIRUS}x`), randomBytes(0));
	start();
	await becomes(first, 'clean', 'infected', 'clean');
	const contents = Array.from({ length: 45 }, (_, i) => Buffer.from(i % 3 ? 'fine' : VIRUS));
	await becomes(await append(...contents), ...contents.map((_, i) => (i % 3 ? 'clean' : 'infected')));
	expect(problems()).toEqual([]);
});

test('without the scanner files stay unchecked, which is a finding, until it is back', async () => {
	const id = await append(Buffer.from(VIRUS), randomBytes(10));
	start();
	await until(() => problems().length > 0);
	expect(problems()).toEqual(['scanner']);
	expect(await scansOf(id)).toEqual(['unchecked', 'unchecked']);
	await startScanner();
	await becomes(id, 'infected', 'clean');
	expect(problems()).toEqual([]);
});

test('so it is with a scanner that hangs, and the finding ends with the files that wait', async () => {
	const clamd = await startScanner();
	clamd.hang();
	start();
	const id = await append(Buffer.from(VIRUS));
	await until(() => problems().length > 0);
	expect([problems(), await scansOf(id)]).toEqual([['scanner'], ['unchecked']]);
	expect(lines.join('')).toContain('clamd did not reply within 0.5 seconds');
	clamd.resume();
	await becomes(id, 'infected');
	expect(problems()).toEqual([]);

	clamd.hang();
	const removed = await append(randomBytes(10));
	await until(() => problems().length > 0);
	await storage.submissions.remove(1, [removed]);
	clamd.resume();
	await until(() => problems().length === 0);
});

test('a file that is too large for it, or lost, stays unchecked and does not hold up the others', async () => {
	await startScanner();
	const id = await append(randomBytes(MAX_STREAM_BYTES + 1), randomBytes(10), randomBytes(20));
	const key = (await storage.submissions.files([id])).get(id)?.[1]?.key as string;
	await store.remove([key]);
	start();
	await becomes(id, 'unchecked', 'unchecked', 'clean');
	await until(() => lines.join('').includes('A file cannot be scanned'));
	expect(lines.join('')).toMatch(/INSTREAM size limit exceeded|above its StreamMaxLength/);
	expect(problems()).toEqual([]);
});

test('a verdict on other bytes than were stored does not count', async () => {
	await startScanner();
	const virus = Buffer.from(VIRUS);
	const id = await append(virus);
	const { read } = store;
	store = { ...store, read: async () => new Blob(['x'.repeat(virus.length)]).stream() };
	start();
	await until(() => lines.join('').includes('is not as it was stored'));
	expect(await scansOf(id)).toEqual(['unchecked']);
	store.read = read;
	await becomes(await append(virus), 'infected');
});
