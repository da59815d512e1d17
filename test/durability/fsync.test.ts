/** The order of system calls shows it: the request comes in, the log is synced, the response goes out. */

import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary, startBinary } from '../binary.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';

const TRACED = 'trace=fsync,fdatasync,read,recvfrom,recvmsg,write,pwrite64,writev,sendto,sendmsg';

const strace = withProgram('strace');

strace.test(
	'between a request and its 200 the write-ahead log is synced to disk',
	async () => {
		const cwd = tempFolder();
		const trace = join(cwd, 'trace.txt');
		await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
		const server = await startBinary({
			cwd,
			prefix: [strace.path, '-f', '-y', '-s', '400', '-e', TRACED, '-o', trace],
		});
		const response = await fetch(`${server.submitUrl}/f/contact`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			body: '{"mark":"traced submission"}',
		});
		expect(response.status).toBe(200);
		await server.end('SIGTERM');

		const calls = readFileSync(trace, 'utf8').split('\n');
		const request = calls.findIndex((call) => call.includes('POST /f/contact'));
		const acknowledgement = calls.findIndex((call, i) => i > request && call.includes('HTTP/1.1 200 OK'));
		expect(request).toBeGreaterThan(-1);
		expect(acknowledgement).toBeGreaterThan(request);
		const between = calls.slice(request, acknowledgement);
		const written = between.findLastIndex((call) => /pwrite64\(\d+<[^>]*formsrv\.db-wal>/.test(call));
		expect(written).toBeGreaterThan(-1);
		const synced = between.findLastIndex((call) => /f(?:data)?sync\(\d+<[^>]*formsrv\.db-wal>\) += 0/.test(call));
		expect(synced).toBeGreaterThan(-1);
		expect(synced).toBeGreaterThan(written);
	},
	60_000,
);
