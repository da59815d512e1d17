/** Litestream beside a server: it holds a read transaction, copies frames of the log, and checkpoints by itself. */

import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { BINARY, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(120_000);

const LITESTREAM = join(import.meta.dir, '../../node_modules/@flydotio/litestream-linux-x64/litestream');
const SENDERS = 8;
const FOR_MS = 4000;
const PAUSE_MS = 700;
/** A rest for each sender: there has to be a commit at any moment, not as many as possible. */
const PAUSE_BETWEEN_MS = 5;
const UNLIMITED = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_LOG_LEVEL: 'error' };
/** Litestream copies once a second, where it gets a core. */
const COPIED_WITHIN_MS = 60_000;

/** As docs/operating.md has it, and with checkpoints after a few pages, so that it makes many. */
const config = (database: string, replica: string) => ({
	dbs: [{ path: database, 'min-checkpoint-page-count': 50, replicas: [{ path: replica, 'sync-interval': '200ms' }] }],
});

const running: (() => unknown)[] = [];
/** Those that a failed test left. */
afterEach(async () => {
	for (const end of running.splice(0)) await end();
});

async function serve(cwd: string) {
	const server = await startBinary({ cwd, env: UNLIMITED });
	running.push(() => server.end('SIGKILL'));
	return server;
}

async function open() {
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	const database = join(cwd, 'formsrv-data', 'formsrv.db');
	const replica = join(cwd, 'replica');
	// JSON is YAML as well.
	await Bun.write(join(cwd, 'litestream.yml'), JSON.stringify(config(database, replica)));
	const start = () => {
		const litestream = Bun.spawn([LITESTREAM, 'replicate', '-config', join(cwd, 'litestream.yml')], {
			stdout: 'ignore',
			stderr: 'ignore',
		});
		running.push(() => litestream.kill('SIGKILL'));
		return litestream;
	};
	const restore = (to: string) =>
		Bun.spawnSync([LITESTREAM, 'restore', '-config', join(cwd, 'litestream.yml'), '-o', to, database]);
	return { cwd, database, start, restore };
}

async function sendFor(submitUrl: string, ms: number, acknowledged: string[]): Promise<void> {
	const end = performance.now() + ms;
	async function send(sender: string): Promise<void> {
		for (let n = 0; performance.now() < end; n++) {
			const mark = `${sender}-${n}`;
			const response = await fetch(`${submitUrl}/f/contact`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
				body: JSON.stringify({ mark, text: 'x'.repeat((n * 97) % 3000) }),
			}).catch(() => undefined);
			if (response?.status === 200) acknowledged.push(mark);
			await response?.arrayBuffer().catch(() => {});
			await Bun.sleep(PAUSE_BETWEEN_MS);
		}
	}
	await Promise.all(Array.from({ length: SENDERS }, () => send(crypto.randomUUID())));
}

function isSound(file: string): boolean {
	const client = new BetterSqlite3(file);
	const found = client.pragma('integrity_check', { simple: true });
	client.close();
	return found === 'ok';
}

/** How often each mark is there, in a database that must be sound. */
function marksIn(file: string): Map<string, number> {
	expect(isSound(file)).toBe(true);
	const client = new BetterSqlite3(file);
	const rows = client.prepare("select data ->> 'mark' as mark, count(*) as n from submissions group by 1").all();
	client.close();
	return new Map((rows as { mark: string; n: number }[]).map(({ mark, n }) => [mark, n]));
}

describe.skipIf(!existsSync(LITESTREAM) || !existsSync(BINARY))('beside Litestream', () => {
	test('nothing is rejected, lost or doubled, and its copy has all of it', async () => {
		const { cwd, database, start, restore } = await open();
		const server = await serve(cwd);
		const litestream = start();
		const acknowledged: string[] = [];
		await sendFor(server.submitUrl, FOR_MS, acknowledged);
		expect(acknowledged.length).toBeGreaterThan(SENDERS);
		expect((await fetch(`${server.submitUrl}/health`)).status).toBe(200);
		const copy = join(cwd, 'restored.db');
		const missingIn = (marks: Map<string, number>) => acknowledged.filter((mark) => marks.get(mark) !== 1);
		const restoreAgain = () => {
			rmSync(copy, { force: true });
			return restore(copy).exitCode === 0;
		};
		// Now and then Litestream restores a malformed copy of what it is still copying: see docs/operating.md.
		const isWhole = () => restoreAgain() && isSound(copy) && missingIn(marksIn(copy)).length === 0;
		await until(isWhole, { withinMs: COPIED_WITHIN_MS, everyMs: 500 });
		expect(await server.end('SIGTERM')).toBe(0);
		litestream.kill('SIGTERM');
		await litestream.exited;
		// At rest each copy is sound.
		expect(restoreAgain()).toBe(true);
		expect(missingIn(marksIn(copy))).toEqual([]);
		const stored = marksIn(database);
		expect(missingIn(stored)).toEqual([]);
		expect(stored.size).toBe(acknowledged.length);
		// A server takes the copy for a database of its own.
		const { code, stdout } = await runBinary(['doctor', '--database-url', `sqlite:${copy}`], {
			cwd,
		});
		expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('intact') });
	});

	test('nothing is lost or doubled when either of them is killed, again and again', async () => {
		const { cwd, database, start } = await open();
		const acknowledged: string[] = [];
		for (let cycle = 0; cycle < 6; cycle++) {
			const server = await serve(cwd);
			const litestream = start();
			const sending = sendFor(server.submitUrl, 2 * PAUSE_MS, acknowledged);
			await Bun.sleep(PAUSE_MS + 50 * cycle);
			if (cycle % 2 === 0) {
				litestream.kill('SIGKILL');
				await sending;
				expect(await server.end('SIGTERM')).toBe(0);
			} else {
				await server.end('SIGKILL');
				await sending;
				litestream.kill('SIGTERM');
			}
			await litestream.exited;
		}
		expect(acknowledged.length).toBeGreaterThan(SENDERS);
		const stored = marksIn(database);
		expect(acknowledged.filter((mark) => stored.get(mark) !== 1)).toEqual([]);
	});
});
