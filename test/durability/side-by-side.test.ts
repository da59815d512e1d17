/** Several processes on one database: ids stay unique, and in a new folder each waits for the first. */

import { expect, test } from 'bun:test';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const ROUNDS = 3;
const KEYS_AT_ONCE = 6;
const BETWEEN_POSTS_MS = 5;
const LONG_ENOUGH_MS = 60_000;

/** The key itself goes to stdout. */
const createKey = (cwd: string) => runBinary(['keys', 'create'], { cwd });
const failures = (results: { code: number; stderr: string }[]) =>
	results.filter(({ code }) => code !== 0).map(({ stderr }) => stderr);

test(
	'concurrent commands all succeed, also without a database yet',
	async () => {
		for (let round = 0; round < ROUNDS; round++) {
			const cwd = tempFolder();
			for (let again = 0; again < 3; again++) {
				const made = await Promise.all(Array.from({ length: KEYS_AT_ONCE }, () => createKey(cwd)));
				expect(failures(made)).toEqual([]);
			}
			const { stdout } = await runBinary(['keys', 'list', '--json'], { cwd });
			const ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
			expect(new Set(ids).size).toBe(3 * KEYS_AT_ONCE);
		}
	},
	LONG_ENOUGH_MS,
);

test(
	'forms created by the API and by commands at the same time all exist',
	async () => {
		const cwd = tempFolder();
		await using server = await startBinary({ cwd, env: { FORMSRV_RATE_API: '0' } });
		const token = (await createKey(cwd)).stdout.trim();
		let isDone = false;
		const post = async (): Promise<number[]> => {
			const statuses: number[] = [];
			while (!isDone) {
				const response = await fetch(`${server.baseUrl}/api/forms`, {
					method: 'POST',
					headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
					body: JSON.stringify({ name: 'By the API' }),
				});
				statuses.push(response.status);
				await response.text();
				await Bun.sleep(BETWEEN_POSTS_MS);
			}
			return statuses;
		};
		const posting = Promise.all([post(), post(), post()]);
		for (let round = 0; round < ROUNDS; round++) {
			const made = await Promise.all([0, 1, 2].map(() => runBinary(['forms', 'create', 'By hand'], { cwd })));
			expect(failures(made)).toEqual([]);
		}
		isDone = true;
		const statuses = (await posting).flat();
		expect(statuses.length).toBeGreaterThan(0);
		expect(statuses.filter((status) => status !== 201)).toEqual([]);
		expect(await server.end('SIGTERM')).toBe(0);
	},
	LONG_ENOUGH_MS,
);

test('a command that only reads writes nothing', async () => {
	const cwd = tempFolder();
	await createKey(cwd);
	const { stdout } = await runBinary(['forms', 'create', 'Contact', '--json'], { cwd });
	const { slug } = JSON.parse(stdout) as { slug: string };
	const before = await Bun.file(`${cwd}/formsrv-data/formsrv.db`).bytes();
	for (const args of [
		['keys', 'list'],
		['submissions', 'list', slug],
	]) {
		expect((await runBinary(args, { cwd })).code).toBe(0);
	}
	expect(Buffer.compare(await Bun.file(`${cwd}/formsrv-data/formsrv.db`).bytes(), before)).toBe(0);
});
