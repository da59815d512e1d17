/** A small disk fills up: submissions are rejected before management requests, and accepted again once there is room. */

import { expect, test } from 'bun:test';
import { openSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { mayMount, mountDisk } from '../mounts.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const MIB = 1024 * 1024;
const DISK_MIB = 64;
const LARGE = 'x'.repeat(100_000);

function freeMib(folder: string): number {
	const { bavail, bsize } = statfsSync(folder);
	return (bavail * bsize) / MIB;
}

async function submit(server: RunningBinary): Promise<number> {
	const response = await fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: JSON.stringify({ message: LARGE }),
	});
	await response.arrayBuffer();
	return response.status;
}

test.skipIf(!mayMount)(
	'below the floor owners sign in and delete, and that makes room',
	async () => {
		const disk = mountDisk(`${DISK_MIB}m`);
		const cwd = tempFolder();
		// The files of submissions lie on another disk: they would have too little room here from the start.
		const FORMSRV_FILES_URL = join(cwd, 'files');
		const env = { FORMSRV_DATA_DIR: join(disk, 'data'), FORMSRV_FILES_URL, FORMSRV_RATE_SUBMIT: '0' };
		expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd, env })).code).toBe(0);
		const key = (await runBinary(['keys', 'create'], { cwd, env })).stdout.trim();
		const log = join(cwd, 'log');
		await using server = await startBinary({ cwd, env, stderr: openSync(log, 'w') });
		const port = new URL(server.baseUrl).port;
		const ask = (route: string, json?: unknown) => {
			const [method, path] = route.split(' ');
			const headers = {
				Authorization: `Bearer ${key}`,
				...(json !== undefined && { 'Content-Type': 'application/json' }),
			};
			return fetch(`${server.baseUrl}${path}`, {
				method,
				headers,
				body: json === undefined ? null : JSON.stringify(json),
			});
		};
		const isReady = async () => (await fetch(`${server.submitUrl}/ready`)).status === 200;

		let accepted = 0;
		for (let status = await submit(server); status === 200; status = await submit(server)) accepted++;
		expect(accepted).toBeGreaterThan(100);
		expect(freeMib(disk)).toBeGreaterThan(8);
		for (let i = 0; i < 50; i++) expect(await submit(server)).toBe(503);
		expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200);
		expect(await (await fetch(`${server.baseUrl}/ready`)).json()).toMatchObject({
			code: 'UNAVAILABLE',
			error: expect.stringContaining('almost full'),
		});

		const signedIn = await fetch(`${server.baseUrl}/api/session`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', Origin: server.baseUrl },
			body: JSON.stringify({ key }),
		});
		expect(signedIn.ok).toBe(true);
		const status = (await (await ask('GET /api/status')).json()) as { health: string; problems: { name: string }[] };
		expect(status.problems.map(({ name }) => name)).toEqual(['disk']);
		expect(status.health).toContain('almost full');
		const doctor = await runBinary(['doctor', '--port', port], { cwd, env });
		expect(doctor.code).toBe(1);
		expect(doctor.stdout).toContain('The disk is almost full: submissions are rejected');

		// Deleted rows make room inside the file, whose size does not change.
		const { forms } = (await (await ask('GET /api/forms')).json()) as { forms: { id: string }[] };
		const deleted = await ask(`POST /api/forms/${forms[0]?.id}/submissions/delete`, { filter: 'all' });
		expect(deleted.status).toBe(200);
		await until(isReady);
		expect(freeMib(disk)).toBeLessThan(16);
		expect(await submit(server)).toBe(200);

		// Another file takes the room that the log needs.
		const filler = join(disk, 'filler');
		writeFileSync(filler, new Uint8Array(Math.floor((freeMib(disk) - 6) * MIB)));
		await until(async () => !(await isReady()));
		expect(await submit(server)).toBe(503);
		rmSync(filler);
		await until(isReady);
		expect(await submit(server)).toBe(200);
		expect(await server.end('SIGTERM')).toBe(0);
		const errors = readFileSync(log, 'utf8')
			.split('\n')
			.filter((line) => line.includes('"level":"ERROR"'));
		expect(errors.map((line) => JSON.parse(line).finding)).toEqual(['disk']);
	},
	60_000,
);
