/** The order of system calls shows it: the request comes in, files and then the log are synced, the response goes out. */

import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary, startBinary } from '../binary.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';

const TRACED =
	'trace=fsync,fdatasync,read,recvfrom,recvmsg,write,pwrite64,pwritev,writev,sendto,sendmsg,rename,ftruncate,mkdir';
const LOG_SYNCED = /f(?:data)?sync\(\d+<[^>]*formsrv\.db-wal>\) += 0/;
/** The last write of the second is padded, which the store cuts off before it syncs. */
const SIZES = [300_000, 64 * 1024 - 100];

const strace = withProgram('strace');

/** The system calls of a server between a submission and its 200. */
async function callsOf(init: RequestInit): Promise<string[]> {
	const cwd = tempFolder();
	const trace = join(cwd, 'trace.txt');
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	await using server = await startBinary({
		cwd,
		prefix: [strace.path, '-f', '-y', '-s', '400', '-e', TRACED, '-o', trace],
	});
	const response = await fetch(`${server.submitUrl}/f/contact`, { method: 'POST', ...init });
	expect(response.status).toBe(200);
	await server.end('SIGTERM');

	const calls = readFileSync(trace, 'utf8').split('\n');
	const request = calls.findIndex((call) => call.includes('POST /f/contact'));
	const acknowledgement = calls.findIndex((call, i) => i > request && call.includes('HTTP/1.1 200 OK'));
	expect(request).toBeGreaterThan(-1);
	expect(acknowledgement).toBeGreaterThan(request);
	return calls.slice(request, acknowledgement);
}

strace.test(
	'between a request and its 200 the write-ahead log is synced to disk',
	async () => {
		const between = await callsOf({
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			body: '{"mark":"traced submission"}',
		});
		const written = between.findLastIndex((call) => /pwrite64\(\d+<[^>]*formsrv\.db-wal>/.test(call));
		expect(written).toBeGreaterThan(-1);
		const synced = between.findLastIndex((call) => LOG_SYNCED.test(call));
		expect(synced).toBeGreaterThan(-1);
		expect(synced).toBeGreaterThan(written);
	},
	60_000,
);

strace.test(
	'files are synced, renamed, and their folders synced, before the commit that makes them reachable',
	async () => {
		const body = new FormData();
		for (const size of SIZES) body.append('cv', new File([new Uint8Array(size)], 'cv.bin'));
		const between = await callsOf({ headers: { Accept: 'application/json' }, body });
		const [before = -1] = between.flatMap((call, i) => (LOG_SYNCED.test(call) ? [i] : [])).slice(-2);
		const commit = between.findIndex((call, i) => i > before && /pwrite64\(\d+<[^>]*formsrv\.db-wal>/.test(call));
		const renames = between.flatMap((call) => {
			const [, name, key] = /rename\("[^"]*incoming\/([0-9a-f]{32})", "[^"]*\/([0-9a-f]{32})"/.exec(call) ?? [];
			return name !== undefined && key !== undefined ? [{ name, key }] : [];
		});
		expect(renames).toHaveLength(SIZES.length);
		for (const { name, key } of renames) {
			const folder = `files/${key.slice(0, 2)}`;
			const changed = between.findLastIndex((call) =>
				new RegExp(`(pwrite64|pwritev|ftruncate)\\(\\d+<[^>]*incoming/${name}>`).test(call),
			);
			const made = between.findIndex((call) => call.includes(`mkdir("`) && call.includes(`${folder}"`));
			const renamed = between.findIndex((call) => call.includes('rename(') && call.includes(`${folder}/${key}"`));
			const order = [
				changed,
				syncedAfter(between, changed, `incoming/${name}`),
				renamed,
				syncedAfter(between, renamed, folder),
				commit,
			];
			expect(order).not.toContain(-1);
			expect(order).toEqual([...order].sort((a, b) => a - b));
			const named = syncedAfter(between, made, 'formsrv-data/files');
			expect([made > -1, named > made, named < renamed]).toEqual([true, true, true]);
		}
	},
	60_000,
);

strace.test(
	'the removal of a file is synced, even if it had been given up before',
	async () => {
		const cwd = tempFolder();
		const trace = join(cwd, 'trace.txt');
		const script = `
			const { openFolder } = await import(${JSON.stringify(join(import.meta.dir, '../../src/files/folder.ts'))});
			const store = openFolder(${JSON.stringify(join(cwd, 'files'))});
			const writer = store.create();
			writer.write(new Uint8Array(9));
			await writer.finish();
			await writer.abort();
			await store.remove([writer.key]);
			console.log(writer.key);`;
		const args = ['-f', '-y', '-e', 'trace=unlink,fsync', '-o', trace, process.execPath, '-e', script];
		const key = (await Bun.$`${strace.path} ${args}`.text()).trim();
		const calls = readFileSync(trace, 'utf8').split('\n');
		const removed = calls.findIndex((call) => call.includes(`unlink("`) && call.includes(`/${key}"`));
		expect(removed).toBeGreaterThan(-1);
		expect(syncedAfter(calls, removed, `files/${key.slice(0, 2)}`)).toBeGreaterThan(removed);
	},
	60_000,
);

/** Where a file or folder was on disk; -1 if it never was. A call of a thread may end in a line of its own. */
function syncedAfter(calls: string[], at: number, path: string): number {
	const begun = calls.findIndex((call, i) => i > at && new RegExp(`fsync\\(\\d+<[^>]*${path}>`).test(call));
	if (begun < 0 || /= 0$/.test(calls[begun] ?? '')) return begun;
	const [thread] = (calls[begun] ?? '').split(' ');
	return calls.findIndex((call, i) => i > begun && call.startsWith(`${thread} `) && /fsync resumed.*= 0$/.test(call));
}
