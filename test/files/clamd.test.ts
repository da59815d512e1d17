/** The client of clamd, against the real one with a signature of one test pattern. */

import { afterEach, beforeEach, test as everyTest, expect, setDefaultTimeout } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { pingClamd, ScannerUnavailable, scanWithClamd } from '../../src/files/clamd.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';
import { MAX_STREAM_BYTES, startClamd, VIRUS, VIRUS_NAME } from './clamd-server.ts';

setDefaultTimeout(60_000);

const { path, isMissing, test } = withProgram('clamd');

let clamd: Awaited<ReturnType<typeof startClamd>>;
beforeEach(async () => {
	if (!isMissing) clamd = await startClamd(path);
});
afterEach(() => clamd?.stop());

const stream =
	(...parts: Uint8Array[]) =>
	() =>
		new Blob(parts as BlobPart[]).stream();

test('a clean file is clean, an infected one names the virus, at the socket and at the port', async () => {
	for (const address of [clamd.address, clamd.tcp]) {
		expect(await scanWithClamd(address, stream(Buffer.from('Dear all')))).toEqual({ verdict: 'clean' });
		expect(await scanWithClamd(address, stream())).toEqual({ verdict: 'clean' });
		const infected = stream(randomBytes(100_000), Buffer.from(VIRUS), randomBytes(100_000));
		expect(await scanWithClamd(address, infected)).toEqual({ verdict: 'infected', virus: VIRUS_NAME });
	}
});

test('a pattern that lies across two chunks is found', async () => {
	const parts = [Buffer.from(VIRUS.slice(0, 9)), Buffer.from(VIRUS.slice(9))];
	const chunks = new ReadableStream<Uint8Array>({
		pull(controller) {
			const part = parts.shift();
			if (part) controller.enqueue(part);
			else controller.close();
		},
	});
	expect(await scanWithClamd(clamd.address, () => chunks)).toMatchObject({ verdict: 'infected' });
});

test('a file as large as clamd takes is scanned to its end', async () => {
	const large = stream(randomBytes(MAX_STREAM_BYTES - VIRUS.length), Buffer.from(VIRUS));
	expect(await scanWithClamd(clamd.address, large)).toMatchObject({ verdict: 'infected' });
});

test('a larger one stays unchecked, and its stream is ended', async () => {
	let isCancelled = false;
	const endless = new ReadableStream<Uint8Array>({
		pull: (controller) => controller.enqueue(randomBytes(64 * 1024)),
		cancel() {
			isCancelled = true;
		},
	});
	const result = await scanWithClamd(clamd.address, () => endless);
	// On a busy machine the reply may be lost with a write behind it.
	expect(result).toEqual({
		verdict: 'unchecked',
		reason: expect.stringMatching(/^INSTREAM size limit exceeded\. ERROR$|above its StreamMaxLength$/),
	});
	expect(isCancelled).toBe(true);
});

test('many at one time are told apart', async () => {
	const results = await Promise.all(
		Array.from({ length: 20 }, (_, i) => scanWithClamd(clamd.tcp, stream(Buffer.from(i % 2 ? VIRUS : 'fine')))),
	);
	expect(results.map(({ verdict }) => verdict)).toEqual(
		Array.from({ length: 20 }, (_, i) => (i % 2 ? 'infected' : 'clean')),
	);
});

test('it is there while all its threads scan, and not when it hangs', async () => {
	const gate = Promise.withResolvers<void>();
	const slow = () =>
		new ReadableStream<Uint8Array>({
			async pull(controller) {
				await gate.promise;
				controller.close();
			},
		});
	const scans = Array.from({ length: 6 }, () => scanWithClamd(clamd.address, slow));
	for (const address of [clamd.address, clamd.tcp]) await pingClamd(address);
	gate.resolve();
	expect(await Promise.all(scans)).toEqual(Array(6).fill({ verdict: 'clean' }));
	clamd.hang();
	await expect(pingClamd(clamd.address)).rejects.toThrow(ScannerUnavailable);
});

everyTest('without clamd there is an error of its own that says where', async () => {
	const socket = `${tempFolder()}/none.sock`;
	const failure = await scanWithClamd({ socket }, stream()).catch((error) => error);
	expect(failure).toBeInstanceOf(ScannerUnavailable);
	expect(failure.message).toContain(`clamd cannot be reached at ${socket}`);
	await expect(scanWithClamd({ host: '127.0.0.1', port: 1 }, stream())).rejects.toThrow('reached at 127.0.0.1:1');
});

everyTest('one that does not reply, or hangs up, leaves the file unchecked', async () => {
	const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
	const address = { host: '127.0.0.1', port: silent.port };
	expect(await scanWithClamd(address, stream(randomBytes(10)), 200)).toEqual({
		verdict: 'unchecked',
		reason: 'clamd did not reply within 0.2 seconds',
	});
	silent.stop(true);
	const rude = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.terminate() } });
	const result = await scanWithClamd({ host: '127.0.0.1', port: rude.port }, stream(randomBytes(5_000_000)));
	expect(result.verdict).toBe('unchecked');
	rude.stop(true);
});
