/** `formsrv erase` and `formsrv person`, without a server and beside one; and what a restore brings back goes again. */

import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { deliveries } from '../../src/storage/tables.ts';
import type { ErasureOutcome } from '../../src/submissions/erasures/schema.ts';
import { testOnSqlite } from '../engine.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { allFiles, allText } from '../submissions/erasures/all-text.ts';
import { until } from '../until.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

setDefaultTimeout(60_000);

const ADA = 'ada@example.org';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

async function serve(cli: CommandLine): Promise<TestServer> {
	await cli.call('keys', 'create');
	const { database } = cli.config();
	const server = await openTestServer({
		database,
		settings: { FORMSRV_FILES_URL: `file://${cli.path('formsrv-data', 'files')}` },
	});
	closers.push(server.close);
	return server;
}

async function stop(server: TestServer): Promise<void> {
	closers.splice(closers.indexOf(server.close), 1);
	await server.close();
}

/** Three submissions of Ada, one of them with a file, one of somebody else. */
async function fill(server: TestServer): Promise<string> {
	const { slug } = await server.app.forms.create('live', { name: 'Contact', slug: 'contact' });
	for (const email of [ADA, `Ada <${ADA}>`, 'nada@example.org']) await server.submit(slug, { email });
	const body = new FormData();
	body.set('email', ADA);
	body.set('cv', new File([`%PDF-1.7 about ${ADA}`], 'cv.pdf'));
	const response = await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', body, redirect: 'manual' });
	await response.body?.cancel();
	return slug;
}

const filled = async () => {
	const cli = openCommandLine();
	const server = await serve(cli);
	await fill(server);
	return { cli, server };
};

/** All of the database and the files but what names Nada. */
async function everything(cli: CommandLine): Promise<string> {
	const text = (await allText(cli.config().database)) + allFiles(cli.path('formsrv-data', 'files'));
	expect(text).toContain('nada@example.org');
	return text.replaceAll('nada@example.org', '');
}

test('without --yes it counts, with it the person is gone; beside a server too', async () => {
	for (const isServing of [true, false]) {
		const { cli, server } = await filled();
		if (!isServing) await stop(server);
		const dry = await cli.call('erase', '--email', ADA);
		expect(dry).toMatchObject({ code: 0, stderr: 'Nothing was removed. Add --yes to do it.\n' });
		expect(dry.stdout).toMatch(/^WOULD GO +NUMBER\nsubmissions +3\ntheir files +1\n/);
		expect(await everything(cli)).toContain(ADA);
		const outcome: ErasureOutcome = await cli.json('erase', '--email', 'ADA@example.org', '--yes');
		expect(outcome).toMatchObject({ dryRun: false, submissions: 3, files: 1, erasure: { state: 'done' } });
		expect(outcome.erasure?.by).toMatch(/^user:./);
		expect(await everything(cli)).not.toContain(ADA);
		expect((await cli.json('forms', 'show', 'contact')).submissionCount).toBe(1);
		if (isServing)
			expect((await server.call<{ submissionCount: number }[]>('GET /api/forms')).text).toContain(
				'"submissionCount":1',
			);
		expect((await cli.call('erase', '--list')).stdout).toContain('done');
	}
});

test.each([
	[['erase']],
	[['erase', '--yes']],
	[['erase', '--email', 'ada']],
	[['erase', '--email', ADA, '--list']],
	[['erase', '--again', 'nothing.json']],
	[['person', '--email', ADA]],
])('formsrv %p is called wrongly', async ([...argv]) => {
	const cli = openCommandLine();
	await cli.call('keys', 'create');
	const { code, stderr } = await cli.call(...argv);
	expect(code).toBeGreaterThan(0);
	expect(stderr).toMatch(/^[A-Za-z].*\.\n$/);
});

test('formsrv erase --again says why it cannot take a file', async () => {
	const cli = openCommandLine();
	await cli.call('keys', 'create');
	expect(await cli.call('erase', '--again', 'nothing.json')).toMatchObject({
		code: 2,
		stderr: 'There is no file nothing.json.\n',
	});
	for (const text of ['', '{}', '[{"id":1}]']) {
		writeFileSync(cli.path('other.json'), text);
		expect(await cli.call('erase', '--again', 'other.json')).toMatchObject({
			code: 2,
			stderr: 'other.json is no file that "formsrv erase --save" wrote.\n',
		});
	}
});

test('a person is exported: submissions and files, and no one else', async () => {
	const { cli, server } = await filled();
	await server.app.forms.create('live', { name: 'News', slug: 'news', confirm: { field: 'email' } });
	await server.submit('news', { email: ADA });
	const { submissions, files } = await cli.json('person', '--email', ADA, '-o', 'ada.zip');
	expect([submissions, files]).toEqual([4, 1]);
	const unpacked = Bun.spawnSync(['python3', '-m', 'zipfile', '-e', cli.path('ada.zip'), cli.path('ada')]);
	expect(unpacked.exitCode).toBe(0);
	const lines = readFileSync(cli.path('ada', 'submissions.ndjson'), 'utf8')
		.trimEnd()
		.split('\n')
		.map((line) => JSON.parse(line));
	expect(lines.map(({ form, submission }) => [form.slug, form.mode, submission.data.email])).toEqual([
		['contact', 'live', ADA],
		['contact', 'live', `Ada <${ADA}>`],
		['contact', 'live', ADA],
		['news', 'live', ADA],
	]);
	expect(lines[3].submission).toMatchObject({ isPending: true, confirmedAt: null });
	expect(readFileSync(cli.path('ada', 'files', lines[2].submission.id, 'cv.pdf'), 'utf8')).toContain('about ada');
	expect(allFiles(cli.path('ada'))).not.toContain('nada@');
	expect((await cli.call('person', '--email', ADA, '-o', 'ada.zip')).stderr).toContain('exists already');
	expect(await cli.json('person', '--email', 'nobody@example.org', '-o', 'nobody.zip')).toMatchObject({
		submissions: 0,
		files: 0,
	});
});

describe('after a restore', () => {
	testOnSqlite('of an older backup the person is gone again, and who came later stays', async () => {
		const { cli, server } = await filled();
		expect((await cli.call('backup', 'before.tar')).code).toBe(0);
		await cli.call('erase', '--email', ADA, '--yes');
		await server.submit('contact', { email: ADA, since: 'later' });
		expect((await cli.call('backup', 'after.tar')).code).toBe(0);
		await stop(server);

		const restored = await cli.call('restore', 'before.tar', '--force');
		expect(restored.stderr).toContain('Erasures since the backup: 1. The server does them again as soon as it starts.');
		expect(await everything(cli)).toContain(ADA);
		const second = await serve(cli);
		const erasures = async () => (await cli.json('erase', '--list')) as { state: string; againAt: string | null }[];
		await until(async () => (await erasures()).every(({ state }) => state === 'done'));
		expect(await everything(cli)).not.toContain(ADA);
		expect(await erasures()).toMatchObject([{ againAt: expect.any(String) }]);
		await stop(second);

		// The backup after it has its record, and what came since.
		expect((await cli.json('restore', 'after.tar', '--force')).erasures).toBe(0);
		const third = await serve(cli);
		expect(await erasures()).toMatchObject([{ state: 'done', againAt: null }]);
		expect((await cli.json('submissions', 'list', 'contact')).submissions).toHaveLength(2);
		await stop(third);
	});

	test('by other means, as on PostgreSQL, records that were saved are done again', async () => {
		const { cli, server } = await filled();
		await cli.call('erase', '--email', ADA, '--yes');
		writeFileSync(cli.path('erasures.json'), '[]');
		const save = ['erase', '--save', 'erasures.json'];
		expect((await cli.call(...save)).stderr).toContain('erasures.json exists already; --force overwrites it.');
		expect((await cli.call(...save, '--force')).stdout).toBe('1 erasure in erasures.json.\n');
		expect(readFileSync(cli.path('erasures.json'), 'utf8')).not.toContain(ADA);
		await stop(server);

		// Another database: all that was stored is back under the ids that it had, before the erasure.
		const other = openCommandLine();
		const again = await serve(other);
		await fill(again);
		const [record] = JSON.parse(readFileSync(cli.path('erasures.json'), 'utf8'));
		await Bun.write(
			other.path('erasures.json'),
			JSON.stringify([{ ...record, beforeId: again.app.storage.clock.end() }]),
		);
		await again.submit('contact', { email: ADA, since: 'later' });
		expect((await other.call('erase', '--again', 'erasures.json')).stdout).toBe(
			'1 erasure done again; the others are in the database.\n',
		);
		expect((await other.json('submissions', 'list', 'contact')).submissions).toMatchObject([
			{ data: { since: 'later' } },
			{ data: { email: 'nada@example.org' } },
		]);
		expect(await again.app.storage.db.select().from(deliveries)).toEqual([]);
		expect((await other.json('erase', '--again', 'erasures.json')).again).toBe(0);
	});
});
