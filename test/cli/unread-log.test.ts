/** A log without a reader: it takes bounded memory, says what was dropped once it is read again, and does not delay the exit. */

import { expect, test } from 'bun:test';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const MEBIBYTE = 1024 * 1024;
const LONG_PATH = `/${'x'.repeat(8000)}`;
/** Eight times as much as may wait. */
const REQUESTS = 1000;
/** A second for the log, and what a crowded machine takes for the rest. */
const END_WITHIN_MS = 5000;
const READ_WITHIN_MS = 10_000;

/** A server whose log goes into a pipe, of which `read` takes what is in it. */
async function serve() {
	const cwd = tempFolder();
	const pipe = join(cwd, 'log');
	await Bun.$`mkfifo ${pipe}`;
	const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
	const stderr = openSync(pipe, constants.O_WRONLY);
	const server = await startBinary({ cwd, stderr, env: { FORMSRV_LOG_FORMAT: 'json' } });
	closeSync(stderr);
	for (let i = 0; i < REQUESTS; i++) await (await fetch(server.baseUrl + LONG_PATH)).bytes();
	const bytes = Buffer.alloc(MEBIBYTE);

	function read(): string {
		try {
			return bytes.toString('latin1', 0, readSync(reader, bytes));
		} catch (error) {
			if ((error as { code?: string }).code === 'EAGAIN') return '';
			throw error;
		}
	}
	return { server, read, [Symbol.dispose]: () => closeSync(reader) };
}

test('does not delay the exit', async () => {
	using unread = await serve();
	const asked = performance.now();
	expect(await unread.server.end('SIGTERM')).toBe(0);
	expect(performance.now() - asked).toBeLessThan(END_WITHIN_MS);
}, 30_000);

test('takes bounded memory, and says how many lines were dropped once it is read', async () => {
	using unread = await serve();
	let log = '';
	let kept = 0;
	let dropped = 0;
	const deadline = performance.now() + READ_WITHIN_MS;
	while (kept + dropped < REQUESTS && performance.now() < deadline) {
		const text = unread.read();
		if (text === '') await Bun.sleep(5);
		log += text;
		const lines = log.split('\n');
		log = lines.pop() ?? '';
		for (const line of lines) {
			if (!line.startsWith('{')) continue;
			const { path, message, level, requests } = JSON.parse(line);
			if (path === LONG_PATH) kept++;
			if (!message.includes('dropped')) continue;
			expect(level).toBe('WARN');
			dropped += requests;
		}
	}
	expect(kept + dropped).toBe(REQUESTS);
	expect(kept * LONG_PATH.length).toBeLessThan(1.25 * MEBIBYTE);
	expect(await unread.server.end('SIGTERM')).toBe(0);
}, 30_000);
