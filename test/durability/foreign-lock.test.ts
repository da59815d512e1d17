/** Another program has locked the database: the server stays up, waits, rejects, and accepts submissions again afterwards. */

import { expect } from 'bun:test';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary, startBinary } from '../binary.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const sqlite3 = withProgram('sqlite3');
const WAIT_MS = 5000;

sqlite3.test(
	'a transaction that is left open in the sqlite3 shell',
	async () => {
		const cwd = tempFolder();
		expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
		const key = (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
		const log = join(cwd, 'log');
		await using server = await startBinary({
			cwd,
			stderr: openSync(log, 'w'),
			env: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0' },
		});
		const submit = async () => {
			const began = performance.now();
			const response = await fetch(`${server.submitUrl}/f/contact`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
				body: '{"name":"Ada"}',
			});
			await response.arrayBuffer();
			return { status: response.status, tookMs: performance.now() - began };
		};
		expect((await submit()).status).toBe(200);

		const shell = Bun.spawn([sqlite3.path, join(cwd, 'formsrv-data', 'formsrv.db')], { stdin: 'pipe', stdout: 'pipe' });
		const output = shell.stdout.getReader();
		shell.stdin.write("begin immediate;\nselect 'locked';\n");
		shell.stdin.flush();
		await output.read();

		const waiting = Array.from({ length: 10 }, submit);
		let isOver = false;
		const refused = Promise.all(waiting).finally(() => {
			isOver = true;
		});
		let slowestMs = 0;
		while (!isOver) {
			const began = performance.now();
			expect((await fetch(`${server.submitUrl}/health`)).status).toBe(200);
			const forms = await fetch(`${server.baseUrl}/api/forms`, { headers: { Authorization: `Bearer ${key}` } });
			expect(forms.status).toBe(200);
			await forms.arrayBuffer();
			slowestMs = Math.max(slowestMs, performance.now() - began);
		}
		expect(slowestMs).toBeLessThan(WAIT_MS / 5);
		for (const { status, tookMs } of await refused) {
			expect(status).toBe(503);
			expect(tookMs).toBeGreaterThan(WAIT_MS - 500);
		}
		expect(await (await fetch(`${server.baseUrl}/ready`)).json()).toMatchObject({
			code: 'UNAVAILABLE',
			error: expect.stringContaining('Another program has locked'),
		});
		const { status, tookMs } = await submit();
		expect(status).toBe(503);
		expect(tookMs).toBeLessThan(WAIT_MS / 5);

		shell.stdin.write('rollback;\n');
		shell.stdin.end();
		await shell.exited;
		await until(async () => (await fetch(`${server.baseUrl}/ready`)).status === 200);
		expect((await submit()).status).toBe(200);
		expect(await server.end('SIGTERM')).toBe(0);
		const errors = readFileSync(log, 'utf8')
			.split('\n')
			.filter((line) => line.includes('"level":"ERROR"'));
		expect(errors.map((line) => JSON.parse(line).finding)).toEqual(['lock']);
	},
	60_000,
);
