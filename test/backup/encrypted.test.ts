/** Archives encrypted to a public key of age: verified without the private one, restored with it, and by nobody else. */

import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createEncryptedOutput } from '../../src/backup/encryption.ts';
import { openFolder } from '../../src/files/folder.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type CommandLine, openCommandLine } from '../cli/command-line.ts';
import { withProgram } from '../programs.ts';
import { newAgeKey } from './age-key.ts';
import { changeByte } from './changed-bytes.ts';
import { addForm, contentsOf, submitFiles } from './visitors-files.ts';

setDefaultTimeout(60_000);

const SIZES = [0, 1, 65_536, 300_000];

let cli: CommandLine;
let contents: Map<string, Buffer>;
beforeEach(async () => {
	cli = openCommandLine();
	const { recipient } = await newAgeKey(cli.path('key.txt'));
	cli.env.FORMSRV_BACKUP_RECIPIENT = recipient;
	mkdirSync(cli.path('formsrv-data'));
	const storage = await openStorage(cli.path('formsrv-data', 'formsrv.db'));
	await addForm(storage);
	const { sent } = await submitFiles(storage, openFolder(cli.path('formsrv-data', 'files')), SIZES);
	await storage.close();
	contents = new Map(sent.map(({ file: { key }, content }) => [key, content]));
});

describe('an encrypted archive', () => {
	test('restores with its private key to the same bytes, and shows nothing without', async () => {
		const report = await cli.json('backup', 'x.tar.age');
		expect(report).toMatchObject({ file: cli.path('x.tar.age'), size: statSync(cli.path('x.tar.age')).size, files: 4 });
		expect(readdirSync(cli.cwd).sort()).toEqual(['formsrv-data', 'key.txt', 'x.tar.age']);
		expect(readdirSync(cli.path('formsrv-data')).filter((name) => name.includes('partial'))).toEqual([]);
		const bytes = readFileSync(cli.path('x.tar.age'));
		expect(bytes.toString('latin1', 0, 22)).toBe('age-encryption.org/v1\n');
		expect(bytes.includes('formsrv.db')).toBe(false);
		for (const command of [['restore'], ['backup', 'verify'], ['drill']]) {
			const { code, stderr } = await cli.call(...command, 'x.tar.age', '--data-dir', 'other');
			expect({ code, stderr }).toEqual({
				code: 1,
				stderr: expect.stringContaining('name the file with its private key'),
			});
		}
		const key = ['--identity', 'key.txt'];
		expect((await cli.call('backup', 'verify', 'x.tar.age', ...key)).code).toBe(0);
		expect(await cli.json('restore', 'x.tar.age', ...key, '--data-dir', 'other')).toMatchObject({ files: 4 });
		expect(await contentsOf(openFolder(cli.path('other', 'files')))).toEqual(contents);
		expect(readdirSync(cli.path('other')).filter((name) => name.includes('restoring'))).toEqual([]);
	});

	test('is verified where nothing can be written, unless it has to be decrypted', async () => {
		await cli.json('backup', 'x.tar');
		const { file } = await cli.json('backup', '--backup-to', cli.cwd);
		const before = process.env.TMPDIR;
		process.env.TMPDIR = cli.path('none');
		try {
			expect((await cli.call('backup', 'verify', 'x.tar')).code).toBe(0);
			expect((await cli.call('backup', 'verify', file)).code).toBe(0);
			expect((await cli.call('backup', 'verify', file, '--identity', 'key.txt')).code).not.toBe(0);
		} finally {
			if (before === undefined) delete process.env.TMPDIR;
			else process.env.TMPDIR = before;
		}
	});

	withProgram('age').test('is what the program age decrypts', async () => {
		await cli.json('backup', 'x.tar.age');
		const age = Bun.spawnSync(['age', '-d', '-i', cli.path('key.txt'), '-o', cli.path('x.tar'), cli.path('x.tar.age')]);
		expect({ code: age.exitCode, stderr: age.stderr.toString() }).toEqual({ code: 0, stderr: '' });
		expect((await cli.call('backup', 'verify', 'x.tar')).code).toBe(0);
	});

	test('is refused with the key of someone else, or with no key, before anything is changed', async () => {
		await cli.json('backup', 'x.tar.age');
		await newAgeKey(cli.path('other.txt'));
		const wrong = await cli.call('restore', 'x.tar.age', '--identity', 'other.txt', '--data-dir', 'other');
		expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('encrypted to another key') });
		const none = await cli.call('restore', 'x.tar.age', '--identity', 'x.tar.age', '--data-dir', 'other');
		expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('is no file of private keys') });
		expect(existsSync(cli.path('other', 'formsrv.db'))).toBe(false);
	});

	test('that is changed or cut off is noticed: with the key by its content, without by its name', async () => {
		mkdirSync(cli.path('kept'));
		const { file } = await cli.json('backup', 'kept');
		expect((await cli.call('backup', 'verify', file)).code).toBe(0);
		const { size } = statSync(file);
		copyFileSync(file, cli.path('whole'));
		for (const at of [0, 30, 200, 70_000, size - 1]) {
			copyFileSync(cli.path('whole'), file);
			changeByte(file, at);
			expect((await cli.call('backup', 'verify', file)).stdout).toContain('is changed: its SHA-256');
			const { code, stderr } = await cli.call('backup', 'verify', file, '--identity', 'key.txt');
			expect({ at, code, stderr }).toEqual({ at, code: 1, stderr: expect.stringContaining('cannot be read') });
		}
		copyFileSync(cli.path('whole'), file);
		for (const left of [size - 65_552, 10, 0]) {
			truncateSync(file, left);
			const { code, stdout } = await cli.call('backup', 'verify', file);
			expect({ left, code, stdout }).toEqual({
				left,
				code: 1,
				stdout: expect.stringContaining('is changed: its SHA-256'),
			});
			const restored = await cli.call('restore', file, '--identity', 'key.txt', '--force');
			expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('cut off or changed') });
		}
	});

	test.each(['x.tar.gz', 'x.TGZ', 'x.zip', 'x.db.age', 's3://bucket/x.tar.zst'])(
		'is not promised by a name: %s is refused, as it would be the database alone, neither packed nor encrypted',
		async (name) => {
			const { code, stderr } = await cli.call('backup', name);
			expect({ code, stderr }).toEqual({
				code: 2,
				stderr: expect.stringContaining(`${name} must end in .tar, .tar.age`),
			});
			expect(readdirSync(cli.cwd).sort()).toEqual(['formsrv-data', 'key.txt']);
		},
	);

	test('that cannot be encrypted, as the public key is mistyped, leaves nothing', async () => {
		const key = `${cli.env.FORMSRV_BACKUP_RECIPIENT}`;
		cli.env.FORMSRV_BACKUP_RECIPIENT = `${key.slice(0, -1)}${key.endsWith('q') ? 'p' : 'q'}`;
		const { code, stderr } = await cli.call('backup', 'x.tar.age');
		expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is no public key of age') });
		expect(readdirSync(cli.cwd).sort()).toEqual(['formsrv-data', 'key.txt']);
	});
});

test('what is not on disk as it was written is an error, encrypted or not', async () => {
	const path = cli.path('x.age');
	const output = await createEncryptedOutput(path, `${cli.env.FORMSRV_BACKUP_RECIPIENT}`);
	await output.write(new Uint8Array(200_000));
	await output.sync();
	changeByte(path, 100_000);
	await expect(output.verify()).rejects.toThrow('is not what was written to it');
	output.close();
});
