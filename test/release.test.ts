/** The files to download: for which machines, made of what, and described how. `bun run release` itself builds and runs the programs. */

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import manifest from '../package.json';
import { billOfMaterials } from '../scripts/bill-of-materials.ts';
import { readLock } from '../scripts/installed.ts';
import { manPage } from '../scripts/man-page.ts';
import { headerOf, TARGETS } from '../scripts/targets.ts';
import { openCommandLine } from './cli/command-line.ts';
import { tempFolder } from './temp-folder.ts';

const ROOT = join(import.meta.dir, '..');

describe('the programs', () => {
	test('contain a Bun whose hash is locked, of one version', () => {
		const { packages } = readLock(ROOT);
		const locked = Object.values(TARGETS).map(({ runtime }) => packages[runtime]);
		const runtimes = Object.values(TARGETS).map(({ runtime }) => `${runtime}@${manifest.devDependencies.bun}`);
		expect(locked.map((entry) => entry?.[0])).toEqual(runtimes);
		expect(locked.filter((entry) => !entry?.[3].startsWith('sha512-'))).toEqual([]);
	});

	test('are told apart by their first bytes', async () => {
		const own = await Bun.file(process.execPath).slice(0, 4096).bytes();
		expect(headerOf(own)).toBe(TARGETS[`linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`].header);
		const arm = own.with(18, 0xb7);
		expect(headerOf(arm)).toStartWith('ELF arm64 ');
		const mach = (machine: number) => new Uint8Array([0xcf, 0xfa, 0xed, 0xfe, machine, 0, 0, 1, ...new Uint8Array(99)]);
		expect([headerOf(mach(0x07)), headerOf(mach(0x0c))]).toEqual(['Mach-O x64', 'Mach-O arm64']);
		const pe = new Uint8Array(200);
		pe.set([0x4d, 0x5a]);
		pe.set([0x80], 0x3c);
		pe.set([0x50, 0x45, 0, 0, 0x64, 0x86], 0x80);
		expect(headerOf(pe)).toBe('PE x64');
		expect(headerOf(Buffer.from('#!/bin/sh'.padEnd(4096)))).toBe('no program');
	});
});

describe('the bill of materials', () => {
	async function made() {
		const root = tempFolder();
		const hash = `sha512-${Buffer.from('abc').toString('base64')}`;
		const write = (path: string, content: object) => Bun.write(join(root, path), JSON.stringify(content));
		await write('package.json', { name: 'formsrv', version: '9.9.9', license: 'MIT', description: 'A program.' });
		const packages: Record<string, [string, string, object, string]> = {};
		const add = async (path: string, spec: string, names: string[] = []) => {
			const [, name = '', version = ''] = /^(.+)@(.+)$/.exec(spec) ?? [];
			packages[path] = [spec, '', { dependencies: Object.fromEntries(names.map((one) => [one, '*'])) }, hash];
			const folder = path.replace(/(?:@[^/]+\/)?[^/]+/g, 'node_modules/$&');
			await write(`${folder}/package.json`, { name, version, license: `${name} license` });
		};
		await add('bun', 'bun@1.0.0');
		await add('a', 'a@1.0.0', ['@s/b', 'c', 'unused']);
		await add('@s/b', '@s/b@2.0.0', ['c']);
		await add('@s/b/c', 'c@0.1.0');
		await add('c', 'c@3.0.0');
		await add('unused', 'unused@1.0.0');
		await write('bun.lock', { packages });
		return billOfMaterials(root, ['@s/b', '@s/b/c', 'a', 'c']);
	}

	test('has what is built in, with hash and licence, and nothing else', async () => {
		const { components, metadata } = await made();
		expect(metadata.component).toMatchObject({ name: 'formsrv', version: '9.9.9' });
		expect(components.map(({ purl }) => purl)).toEqual([
			'pkg:npm/bun@1.0.0',
			'pkg:npm/%40s/b@2.0.0',
			'pkg:npm/c@0.1.0',
			'pkg:npm/a@1.0.0',
			'pkg:npm/c@3.0.0',
		]);
		expect(components[1]).toMatchObject({
			hashes: [{ alg: 'SHA-512', content: '616263' }],
			licenses: [{ expression: '@s/b license' }],
		});
	});

	test('says which uses which, also where two versions are there', async () => {
		const { dependencies } = await made();
		const uses = Object.fromEntries(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
		expect(uses['pkg:npm/a@1.0.0']).toEqual(['pkg:npm/%40s/b@2.0.0', 'pkg:npm/c@3.0.0']);
		expect(uses['pkg:npm/%40s/b@2.0.0']).toEqual(['pkg:npm/c@0.1.0']);
		expect(uses['pkg:npm/c@3.0.0']).toEqual([]);
	});
});

test('the manual page has every command and setting of the help', async () => {
	const page = (await manPage()).replaceAll('\\-', '-').replaceAll('\\e', '\\');
	const { stdout } = await openCommandLine().call('serve', '--help');
	const flags = [...new Set(stdout.match(/(?<=^ +)--[a-z0-9-]+/gm))];
	expect(flags.length).toBeGreaterThan(20);
	expect(flags.filter((flag) => !page.includes(`\n.B ${flag}`) && flag !== '--help')).toEqual([]);
	const { stdout: bash } = await openCommandLine().call('completion', 'bash');
	const commands = [...bash.matchAll(/^\t' (.+?)'\) words='--/gm)].map(([, name]) => name);
	expect(commands.length).toBeGreaterThan(30);
	expect(commands.filter((name) => !page.includes(`\n.SS "formsrv ${name} `))).toEqual([]);
	expect(page).toContain(`formsrv ${manifest.version}`);
});
