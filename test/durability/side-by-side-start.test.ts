/** Processes that begin at the same instant in one folder, there or not: exactly one serves, and no command fails. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BINARY } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

setDefaultTimeout(120_000);

const FREE_PORTS = { FORMSRV_PORT: '0', FORMSRV_SUBMIT_PORT: '0' };
const started: Bun.Subprocess[] = [];
afterEach(async () => {
	for (const child of started.splice(0)) child.kill('SIGKILL');
});

function begin(cwd: string, ...args: string[]) {
	const child = Bun.spawn([BINARY, ...args], { cwd, env: FREE_PORTS, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
	started.push(child);
	return child;
}

/** Returns the end of a start: the server serves, or says why not. */
async function endOf(child: ReturnType<typeof begin>): Promise<string> {
	const reader = child.stdout.getReader();
	const { value } = await reader.read();
	reader.releaseLock();
	if (value) return 'serves';
	return `${await child.exited}: ${await text(child.stderr)}`;
}

test.each([
	[2, 25],
	[5, 10],
])('of %d servers that start at once, exactly one serves; %d times', async (count, rounds) => {
	const cwd = tempFolder();
	const refusal = `1: Another formsrv serves ${join(cwd, 'formsrv-data/formsrv.db')} already.\n`;
	for (let round = 0; round < rounds; round++) {
		const children = Array.from({ length: count }, () => begin(cwd, 'serve'));
		const ends = await Promise.all(children.map(endOf));
		expect(ends.sort()).toEqual([...Array(count - 1).fill(refusal), 'serves']);
		for (const child of children) child.kill('SIGKILL');
		await Promise.all(children.map(({ exited }) => exited));
		started.length = 0;
	}
});

test('five commands and a server at once in a folder that is not there all succeed', async () => {
	for (let round = 0; round < 12; round++) {
		const cwd = tempFolder();
		const commands = Array.from({ length: 5 }, () => begin(cwd, 'keys', 'create'));
		const server = begin(cwd, 'serve');
		const outcomes = await Promise.all(
			commands.map(async (child) => {
				const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
				return code === 0 ? out.slice(0, 8) : err;
			}),
		);
		expect(outcomes).toEqual(Array(5).fill('sk_live_'));
		expect(await endOf(server)).toBe('serves');
		const list = begin(cwd, 'keys', 'list', '--json');
		expect(JSON.parse(await text(list.stdout))).toHaveLength(5);
		server.kill('SIGKILL');
		await server.exited;
		started.length = 0;
	}
});
