/** Files through kills and a full disk: what was acknowledged has all its bytes, and nothing else is left. */

import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { beforeKillMs, KILLS } from './kills.ts';

const SENDERS = 8;
const UNLIMITED = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_LOG_LEVEL: 'error' };
const MAX_FILE_KIB = 2048;
const BOUNDED = ['bash', '-c', `trap '' XFSZ; ulimit -f ${MAX_FILE_KIB}; "$@"; exit $?`, 'bash'];

interface Row {
	mark: string;
	sha256: string;
	key: string;
	bytes: number;
}

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** Bytes that differ from file to file and are not random, so that a mix-up shows. */
function bytesOf(mark: string, size: number): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(size);
	const seed = Buffer.from(sha256(Buffer.from(mark)), 'hex');
	for (let i = 0; i < size; i++) bytes[i] = (seed[i % 32] as number) ^ (i >> 5);
	return bytes;
}

function post(server: RunningBinary, mark: string, files: readonly Uint8Array<ArrayBuffer>[]): Promise<Response> {
	const data = new FormData();
	data.append('mark', mark);
	for (const [i, file] of files.entries()) data.append('file', new File([file], `${i}.bin`));
	const headers = { Accept: 'application/json' };
	return fetch(`${server.submitUrl}/f/jobs`, { method: 'POST', headers, body: data });
}

/** Posts one submission after the other until the server is gone; remembers the hashes of those that were acknowledged. */
async function sendUntilGone(server: RunningBinary, name: string, acknowledged: Map<string, string[]>): Promise<void> {
	for (let i = 0; ; i++) {
		const mark = `${name}-${i}`;
		const files = [0, 1, 2]
			.slice(0, 1 + (i % 3))
			.map((n) => bytesOf(`${mark}/${n}`, (i * 7919 + n * 104_729) % 300_000));
		try {
			const response = await post(server, mark, files);
			if (response.status === 200) acknowledged.set(mark, files.map(sha256));
			await response.arrayBuffer();
		} catch {
			return;
		}
	}
}

function openDatabase(cwd: string) {
	return new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'), { readonly: true });
}

function rowsIn(cwd: string): Row[] {
	const database = openDatabase(cwd);
	const rows = database
		.prepare(
			`select data ->> 'mark' as mark, sha256, key, bytes from files join submissions s on s.id = submission_id
				order by files.id`,
		)
		.all();
	database.close();
	return rows as Row[];
}

/** Paths of all files of the store, finished or not. */
function objectsIn(cwd: string): string[] {
	const folder = join(cwd, 'formsrv-data', 'files');
	if (!existsSync(folder)) return [];
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Every row has its bytes, and there are no others. */
function expectSound(cwd: string): Row[] {
	const rows = rowsIn(cwd);
	const byKey = new Map(objectsIn(cwd).map((path) => [path.split('/').at(-1) as string, path]));
	expect([...byKey.keys()].sort()).toEqual(rows.map(({ key }) => key).sort());
	const wrong = rows.filter(({ key, sha256: hash }) => sha256(readFileSync(byKey.get(key) as string)) !== hash);
	expect(wrong).toEqual([]);
	return rows;
}

async function createForm(cwd: string): Promise<void> {
	expect((await runBinary(['forms', 'create', 'Jobs', '--slug', 'jobs'], { cwd })).code).toBe(0);
}

test(`each submission acknowledged before one of ${KILLS} kills has all its files, and no byte is left over`, async () => {
	const cwd = tempFolder();
	await createForm(cwd);
	const acknowledged = new Map<string, string[]>();
	for (let cycle = 0; cycle < KILLS; cycle++) {
		await using server = await startBinary({ cwd, env: UNLIMITED });
		const senders = Array.from({ length: SENDERS }, (_, i) => sendUntilGone(server, `${cycle}-${i}`, acknowledged));
		const before = acknowledged.size;
		await until(() => acknowledged.size > before, { everyMs: 5 });
		await Bun.sleep(beforeKillMs(cycle));
		await server.end('SIGKILL');
		await Promise.all(senders);
	}

	await using server = await startBinary({ cwd, env: UNLIMITED });
	const database = openDatabase(cwd);
	const waiting = database.prepare('select count(*) from removed_files').pluck();
	await until(() => waiting.get() === 0, { withinMs: 100_000 });
	database.close();
	expect(await server.end('SIGTERM')).toBe(0);

	const stored = Map.groupBy(expectSound(cwd), ({ mark }) => mark);
	for (const [mark, hashes] of acknowledged) {
		expect([mark, stored.get(mark)?.map((row) => row.sha256)]).toEqual([mark, hashes]);
	}
	const after = openDatabase(cwd);
	const { kept, counted } = after
		.prepare('select (select sum(max(bytes, 4096)) from files) as kept, (select sum(file_bytes) from forms) as counted')
		.get() as { kept: number; counted: number };
	expect(counted).toBe(kept);
	after.close();
	expect((await runBinary(['doctor'], { cwd })).code).toBe(0);
}, 240_000);

test('a disk that is full in the middle of a file means 503 and nothing half there; smaller files are taken as before', async () => {
	const cwd = tempFolder();
	await createForm(cwd);
	await using server = await startBinary({ cwd, env: UNLIMITED, prefix: BOUNDED });
	const small = bytesOf('small', 100_000);
	expect((await post(server, 'before', [small])).status).toBe(200);
	const response = await post(server, 'large', [small, bytesOf('large', 3_000_000)]);
	expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([503, 'UNAVAILABLE']);
	expect((await post(server, 'after', [small])).status).toBe(200);
	expect(await server.end('SIGTERM')).toBe(0);
	expect(expectSound(cwd).map(({ mark }) => mark)).toEqual(['before', 'after']);
});
