/** The part of `formsrv doctor` on attached files. */

import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder } from '../../src/files/folder.ts';
import { openStorage } from '../../src/storage/open.ts';
import { forms, removedFiles } from '../../src/storage/tables.ts';
import { startClamd } from '../files/clamd-server.ts';
import { withProgram } from '../programs.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

setDefaultTimeout(60_000);

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

const folder = () => cli.path('formsrv-data', 'files');

async function put(bytes: number): Promise<string> {
	const writer = openFolder(folder()).create();
	await writer.write(new Uint8Array(bytes));
	await writer.finish();
	return writer.key;
}

const pathOf = (key: string) => join(folder(), key.slice(0, 2), key);

/** Two files, of 1,000 and 2,000 bytes, of a submission to the form `jobs`; their keys. */
async function prepare(): Promise<[string, string]> {
	const keys = [await put(1000), await put(2000)] as [string, string];
	const storage = await openStorage(cli.path('formsrv-data', 'formsrv.db'));
	await storage.batch((tx) => [tx.insert(forms).values({ id: 1, mode: 'live', slug: 'jobs', name: 'Jobs' })]);
	const rest = { field: 'cv', name: 'a.pdf', type: 'a/b', claimedType: '', sha256: '', scan: null };
	const texts = { data: '{}', names: [], spamReason: null, subject: null, replyTo: null };
	const files = keys.map((key, index) => ({ ...rest, id: storage.nextId(), key, bytes: 1000 * (index + 1) }));
	await storage.submissions.append({ formId: 1, ...texts, files });
	await storage.close();
	return keys;
}

interface Report {
	findings: { subject: string; found: string; problem?: string; keys?: string[] }[];
}

async function findings(...subjects: string[]) {
	const { stdout } = await cli.call('doctor', '--json');
	return (JSON.parse(stdout) as Report).findings.filter(({ subject }) => subjects.includes(subject));
}

test('before there are any, it names their place and makes nothing', async () => {
	await cli.call('keys', 'create');
	expect(await findings('files')).toEqual([{ subject: 'files', found: `none yet; they will be in ${folder()}` }]);
	expect(existsSync(folder())).toBe(false);
});

test('it says what is used of the quota, in all and by form', async () => {
	await prepare();
	expect(await findings('files', 'quota')).toEqual([
		{ subject: 'quota', found: '2 files, 8 KiB of 5 GiB; by form: jobs 8 KiB of 2.5 GiB' },
		{ subject: 'files', found: `as the database has them, in ${folder()}` },
	]);
	cli.env.FORMSRV_FILES_QUOTA = '20000';
	cli.env.FORMSRV_FILES_FORM_SHARE = '40';
	expect((await findings('quota'))[0]?.problem).toContain('raise FORMSRV_FILES_QUOTA');
	cli.env.FORMSRV_FILES_FORM_SHARE = '100';
	expect((await findings('quota'))[0]?.problem).toBeUndefined();
	cli.env.FORMSRV_FILES_QUOTA = '8192';
	expect((await findings('quota'))[0]?.problem).toContain('raise FORMSRV_FILES_QUOTA');
	expect((await cli.call('doctor')).code).toBe(1);
});

test('it finds rows without a file and files of another size', async () => {
	const [missing, changed] = await prepare();
	rmSync(pathOf(missing));
	writeFileSync(pathOf(changed), 'short');
	const { code, stdout } = await cli.call('doctor');
	expect(code).toBe(1);
	expect(stdout).toContain(`Missing: 1 file of submissions, such as ${pathOf(missing)}. Bring back from a backup`);
	expect(stdout).toContain(`Of another size than was stored: 1 file, such as ${pathOf(changed)}. Bring back`);
	expect((await findings('files')).map(({ keys }) => keys)).toEqual([[missing], [changed]]);
});

test('it finds them also in the first minute, while their keys are noted for removal unless they have a row', async () => {
	const [key] = await prepare();
	const storage = await openStorage(cli.path('formsrv-data', 'formsrv.db'));
	await storage.batch((tx) => [tx.insert(removedFiles).values({ key })]);
	await storage.close();
	writeFileSync(pathOf(key), 'short');
	expect((await findings('files')).map(({ keys }) => keys)).toEqual([[key]]);
});

test('it finds files without a row, but for those that are still to be removed', async () => {
	await prepare();
	const [unknown, passing] = [await put(10), await put(20)];
	const storage = await openStorage(cli.path('formsrv-data', 'formsrv.db'));
	await storage.batch((tx) => [tx.insert(removedFiles).values({ key: passing })]);
	await storage.close();
	const [finding, ...others] = await findings('files');
	expect(others).toEqual([]);
	expect(finding?.keys).toEqual([unknown]);
	expect(finding?.problem).toContain(`Of no submission: 1 file (10 B), such as ${pathOf(unknown)}.`);
	expect(existsSync(pathOf(unknown))).toBe(true);
});

test('it finds a place that cannot be written', async () => {
	await prepare();
	rmSync(folder(), { recursive: true });
	writeFileSync(folder(), '');
	expect((await findings('files'))[0]?.problem).toContain(`The folder ${folder()} cannot be written: `);
});

test('it finds a bucket that cannot be reached, and shows no secret', async () => {
	cli.env.FORMSRV_FILES_URL = 's3://forms/x';
	cli.env.FORMSRV_S3_ENDPOINT = 'http://127.0.0.1:1';
	cli.env.FORMSRV_S3_ACCESS_KEY_ID = 'id-hunter1';
	cli.env.FORMSRV_S3_SECRET_ACCESS_KEY = 'hunter2';
	expect((await findings('files'))[0]?.problem).toContain('The S3 service at http://127.0.0.1:1 cannot be reached');
	expect((await cli.call('doctor')).stdout).not.toMatch(/hunter[12]/);
});

test('it finds a scanner that cannot be reached', async () => {
	cli.env.FORMSRV_SCAN = `clamd:${cli.path('none.sock')}`;
	expect((await findings('scanner'))[0]?.problem).toContain(`clamd cannot be reached at ${cli.path('none.sock')}`);
});

const clamd = withProgram('clamd');
clamd.test('it finds a scanner that can be reached well', async () => {
	const { address, stop } = await startClamd(clamd.path);
	cli.env.FORMSRV_SCAN = `clamd:${address.socket}`;
	expect(await findings('scanner')).toEqual([{ subject: 'scanner', found: `clamd at ${address.socket}` }]);
	await stop();
});
