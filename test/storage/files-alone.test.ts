/** Attached files without a database are a trace of one: nothing makes a new database beside them. */

import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCommandLine } from '../cli/command-line.ts';
import { testOnSqlite } from '../engine.ts';

const KEY = '0123456789abcdef0123456789abcdef';

function putFile(folder: string, key = KEY): void {
	const place = join(folder, key.slice(0, 2));
	mkdirSync(place, { recursive: true });
	writeFileSync(join(place, key), 'Ada');
}

test.each(['keys create', 'forms create Contact', 'serve --port 0 --submit-port 0'])(
	'%s exits with 1 and a sentence',
	async (command) => {
		const cli = openCommandLine();
		putFile(cli.path('formsrv-data', 'files'));
		const { code, stderr } = await cli.call(...command.split(' '));
		expect(code).toBe(1);
		expect(stderr).toContain(
			`${cli.path('formsrv-data', 'files')} has attached files of one: put the database back there`,
		);
		expect(stderr).not.toContain('Created a new database');
		expect(existsSync(cli.path('formsrv-data', 'formsrv.db'))).toBe(false);
		const doctor = await cli.call('doctor');
		expect(doctor.code).toBe(1);
		expect(doctor.stdout).toMatch(/^!! +database +There is no database at \S+, but \S+ has attached files of one/m);
	},
);

test('wherever the settings say that the files are', async () => {
	const cli = openCommandLine();
	cli.env.FORMSRV_FILES_URL = 'file:elsewhere';
	putFile(cli.path('elsewhere'));
	expect((await cli.call('keys', 'create')).stderr).toContain(`${cli.path('elsewhere')} has attached files`);
});

test('folders without files, and what is no attached file, are no trace', async () => {
	const cli = openCommandLine();
	putFile(cli.path('formsrv-data', 'files'));
	rmSync(cli.path('formsrv-data', 'files', '01', KEY));
	writeFileSync(cli.path('formsrv-data', 'files', 'README'), 'mine');
	writeFileSync(cli.path('formsrv-data', 'files', '01', 'notes.txt'), 'mine');
	expect((await cli.call('keys', 'create')).code).toBe(0);
	expect((await cli.call('keys', 'create')).code).toBe(0);
});

testOnSqlite('a backup is restored beside them', async () => {
	const cli = openCommandLine();
	await cli.call('forms', 'create', 'Contact');
	await cli.call('backup', 'backup.tar');
	for (const name of readdirSync(cli.path('formsrv-data'))) rmSync(cli.path('formsrv-data', name));
	putFile(cli.path('formsrv-data', 'files'));
	expect((await cli.call('keys', 'create')).code).toBe(1);
	expect((await cli.call('restore', 'backup.tar')).code).toBe(0);
	expect(await cli.json('forms', 'list')).toMatchObject([{ name: 'Contact' }]);
	expect((await cli.call('keys', 'create')).code).toBe(0);
});
