/** No process outlives the tests that started it: a file that leaves one fails by its name, and a run that is killed leaves none. */

import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BINARY } from './binary.ts';
import { processesOf } from './processes.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

const PRELOAD = join(import.meta.dir, 'left-behind.ts');
const TEMP = join(import.meta.dir, 'temp-folder.ts');

const TIDY = `
	import { test } from 'bun:test';
	test('ends what it starts', async () => {
		const child = Bun.spawn(['sleep', '600']);
		child.kill();
	});
`;
/** One is still a child of the test's; the parent of the other is gone. */
const UNTIDY = `
	import { test } from 'bun:test';
	import { tempFolder } from '${TEMP}';
	test('goes away', async () => {
		Bun.spawn(['sleep', '601'], { env: {}, cwd: '/' });
		await Bun.spawn(['sh', '-c', 'sleep 602 > /dev/null 2>&1 &'], { env: {}, cwd: tempFolder() }).exited;
	});
`;
const WAITING = `
	import { test } from 'bun:test';
	import { tempFolder } from '${TEMP}';
	test('is killed', async () => {
		Bun.spawn(['sleep', '603'], { env: {}, cwd: tempFolder() });
		console.log(process.env.TMPDIR);
		await Bun.sleep(60_000);
	});
`;

/** A measurement that fails while its server runs. */
const FAILING = `
	import { start } from '${join(import.meta.dir, '../bench/processes.ts')}';
	const { pid } = await start(['${BINARY}', 'serve'], { cwd: process.cwd(), log: 'log' });
	console.log(pid);
	throw new Error('It was too slow.');
`;

/** Runs these files of tests, as `bun run test` does, but in a run of its own. */
async function start(files: Record<string, string>, ...options: string[]) {
	const cwd = tempFolder();
	for (const [name, text] of Object.entries(files)) await Bun.write(join(cwd, name), text);
	const { FORMSRV_TEST_RUN, ...env } = process.env;
	return Bun.spawn([process.execPath, 'test', '--preload', PRELOAD, ...options], {
		cwd,
		env,
		stdout: 'pipe',
		stderr: 'pipe',
	});
}

const running = (command: string) => processesOf(command).filter((one) => one.command === command);

test('a file of tests that leaves processes running fails by its name, and they end', async () => {
	const run = await start({ 'tidy.test.ts': TIDY, 'untidy.test.ts': UNTIDY }, '--parallel=2', '--no-isolate');
	const said = await new Response(run.stderr).text();
	expect(await run.exited).toBe(1);
	expect(said).toMatch(/tests of \S+\/untidy.test.ts left behind, still running:(\n {2}\d+: sleep 60[12]){2}/);
	expect(said).not.toMatch(/tests of \S+\/tidy.test.ts left/);
	await until(() => running('sleep 601').length + running('sleep 602').length === 0);
});

test('a run that is killed leaves neither processes nor files', async () => {
	const run = await start({ 'waiting.test.ts': WAITING });
	let folder: string | undefined;
	for await (const chunk of run.stdout) {
		folder = /^\/\S+/m.exec(new TextDecoder().decode(chunk))?.[0];
		if (folder) break;
	}
	run.kill('SIGKILL');
	await run.exited;
	await until(() => running('sleep 603').length === 0 && !existsSync(dirname(`${folder}`)));
});

test('a measurement that fails leaves no server', async () => {
	const cwd = tempFolder();
	const run = Bun.spawn([process.execPath, '-e', FAILING], { cwd, stdout: 'pipe', stderr: 'pipe' });
	const pid = Number(await new Response(run.stdout).text());
	expect(await new Response(run.stderr).text()).toContain('It was too slow.');
	expect(await run.exited).toBe(1);
	expect(pid).toBeGreaterThan(0);
	await until(() => processesOf(cwd).length === 0);
});
