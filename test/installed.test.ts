/** The program is built from what `bun.lock` says; from anything else none is made, and a sentence says why. */

import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCheck } from '../scripts/installed.ts';
import { tempFolder } from './temp-folder.ts';

const ROOT = join(import.meta.dir, '..');
const BUN = '9.9.9';
const REMEDY = 'Remove node_modules, then run "bun install --frozen-lockfile".';

function write(root: string, path: string, content: object): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), JSON.stringify(content));
}

/** Builds from one file of a package. */
function build(folder: string, name: string, version: string): void {
	const root = tempFolder();
	write(root, 'package.json', { packageManager: `bun@${BUN}` });
	write(root, 'bun.lock', {
		packages: { one: ['one@1.0.0'], '@scope/two': ['@scope/two@2.0.0'], '@scope/two/one': ['one@0.9.0'] },
	});
	write(root, `${folder}/package.json`, { name, version });
	const check = createCheck(root, BUN);
	check.note(join(root, 'src/main.ts'));
	check.note(join(root, folder, 'dist/index.js'));
	check.finish();
}

test.each([
	['node_modules/one', 'one', '1.0.0'],
	['node_modules/@scope/two', '@scope/two', '2.0.0'],
	['node_modules/@scope/two/node_modules/one', 'one', '0.9.0'],
])('%s may be what is locked', (folder, name, version) => {
	expect(() => build(folder, name, version)).not.toThrow();
});

test.each([
	['node_modules/one', 'one', '1.0.1', 'bun.lock says one@1.0.0'],
	['node_modules/@scope/two/node_modules/one', 'one', '1.0.0', 'bun.lock says one@0.9.0'],
	['node_modules/one/node_modules/three', 'three', '3.0.0', 'bun.lock says that it is not there'],
	['node_modules/one', 'another', '1.0.0', 'bun.lock says one@1.0.0'],
])('%s may not be %s@%s', (folder, name, version, said) => {
	expect(() => build(folder, name, version)).toThrow(
		`Not built: ${folder} is ${name}@${version}, and ${said}. ${REMEDY}`,
	);
});

test('another Bun is named', () => {
	expect(() => createCheck(ROOT, '1.0.0').finish()).toThrow('this is bun@1.0.0, and package.json says bun@');
});

test('with another version of a package the build ends with that sentence, and leaves no program', async () => {
	const root = tempFolder();
	for (const path of ['scripts', 'src', 'drizzle', 'docs', 'README.md', 'package.json', 'bun.lock', 'tsconfig.json'])
		cpSync(join(ROOT, path), join(root, path), { recursive: true });
	mkdirSync(join(root, 'node_modules'));
	for (const name of readdirSync(join(ROOT, 'node_modules')).filter((one) => one !== 'postgres'))
		symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name));
	const other = join(root, 'node_modules/postgres');
	cpSync(join(ROOT, 'node_modules/postgres'), other, { recursive: true });
	const manifest = readFileSync(join(other, 'package.json'), 'utf8');
	writeFileSync(join(other, 'package.json'), manifest.replace('"version": "3.4.9"', '"version": "3.4.8"'));
	const running = Bun.spawn(['bun', 'scripts/build.ts'], { cwd: root, stdout: 'pipe', stderr: 'pipe' });
	const [said, code] = [await new Response(running.stderr).text(), await running.exited];
	const sentence = 'node_modules/postgres is postgres@3.4.8, and bun.lock says postgres@3.4.9';
	expect([code, said]).toEqual([1, `Not built: ${sentence}. ${REMEDY}\n`]);
	expect(await Bun.file(join(root, 'dist/formsrv')).exists()).toBe(false);
}, 60_000);
