/** The linter's own configuration: a preset that is silently off would let everything pass. */

import { expect, test } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dir, '..');

async function lint(files: Record<string, string>): Promise<{ output: string; code: number }> {
	const folder = await mkdtemp(join(tmpdir(), 'formsrv-lint-'));
	try {
		await cp(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
		for (const [name, content] of Object.entries(files)) await Bun.write(join(folder, name), content);
		const child = Bun.spawn(
			[join(ROOT, 'node_modules/.bin/biome'), 'lint', '--vcs-enabled=false', '--colors=off', '.'],
			{
				cwd: folder,
				stdout: 'ignore',
				stderr: 'pipe',
			},
		);
		const [output, code] = await Promise.all([text(child.stderr), child.exited]);
		return { output, code };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

test('a recommended rule rejects a file', async () => {
	const { output, code } = await lint({ 'a.ts': 'debugger;\n' });
	expect(output).toContain('suspicious/noDebugger');
	expect(code).toBe(1);
});

test('an import cycle is rejected', async () => {
	const { output, code } = await lint({
		'a.ts': "import { b } from './b.ts';\nexport const a = (): number => b();\n",
		'b.ts': "import { a } from './a.ts';\nexport const b = (): number => a();\n",
	});
	expect(output).toContain('suspicious/noImportCycles');
	expect(code).toBe(1);
});

test('a floating promise is rejected', async () => {
	const { output, code } = await lint({
		'a.ts': 'async function work() {}\nexport function start() {\n\twork();\n}\n',
	});
	expect(output).toContain('nursery/noFloatingPromises');
	expect(code).toBe(1);
});

test('a clean file passes', async () => {
	expect((await lint({ 'a.ts': 'export const answer = 42;\n' })).code).toBe(0);
});
