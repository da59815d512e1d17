/** Archives of files in a bucket: from there to a folder, and back to another bucket, to the byte. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { openFolder } from '../../src/files/folder.ts';
import { openFileStore } from '../../src/files/open.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openCommandLine } from '../cli/command-line.ts';
import { type S3Server, settingsOf, startS3Server } from '../files/s3-server.ts';
import { addForm, contentsOf, submitFiles } from './visitors-files.ts';

/** The server of S3 is slow on a busy machine. */
setDefaultTimeout(60_000);

let s3: S3Server;
beforeAll(async () => {
	s3 = await startS3Server();
});
afterAll(() => s3.stop());

test('an archive of a bucket restores to a folder, and that of the folder to a bucket', async () => {
	const cli = openCommandLine();
	const [from, to] = [s3.newPlace(cli.path('one')), s3.newPlace(cli.path('three'))];
	mkdirSync(cli.path('one'));
	const storage = await openStorage(cli.path('one', 'formsrv.db'));
	await addForm(storage);
	const { sent } = await submitFiles(storage, await openFileStore(from), [0, 1, 70_000, 512]);
	await storage.close();
	const contents = new Map(sent.map(({ file: { key }, content }) => [key, content]));

	const fromBucket = openCommandLine(cli.cwd, settingsOf(from));
	expect(await fromBucket.json('backup', 'bucket.tar', '--data-dir', 'one')).toMatchObject({
		files: 4,
		missing: [],
		changed: [],
	});
	expect((await cli.call('restore', 'bucket.tar', '--data-dir', 'two')).stderr).toBe('');
	expect(await contentsOf(openFolder(cli.path('two', 'files')))).toEqual(contents);

	await cli.json('backup', 'folder.tar', '--data-dir', 'two');
	const toBucket = openCommandLine(cli.cwd, settingsOf(to));
	expect((await toBucket.call('restore', 'folder.tar', '--data-dir', 'three')).stderr).toBe('');
	expect(await contentsOf(await openFileStore(to))).toEqual(contents);
});

test('a bucket that cannot be reached leaves no archive, and a restore into it the database as it was', async () => {
	const cli = openCommandLine();
	const storage = await openStorage(cli.path('formsrv.db'));
	await addForm(storage);
	await submitFiles(storage, openFolder(cli.path('files')), [10]);
	await storage.close();
	await cli.json('backup', 'x.tar', '--data-dir', '.');
	const place = s3.newPlace(cli.cwd);
	const away = openCommandLine(cli.cwd, { ...settingsOf(place), FORMSRV_S3_ENDPOINT: 'http://127.0.0.1:1' });
	const hash = async () => Bun.hash(await Bun.file(cli.path('formsrv.db')).bytes());
	const before = await hash();
	for (const args of [
		['backup', 'y.tar'],
		['restore', 'x.tar', '--force'],
	]) {
		const { code, stderr } = await away.call(...args, '--data-dir', '.');
		expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('cannot be reached') });
	}
	expect(await Bun.file(cli.path('y.tar')).exists()).toBe(false);
	expect(await hash()).toBe(before);
});
