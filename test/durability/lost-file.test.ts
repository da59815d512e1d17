/** The database is moved away from a running server: nothing is acknowledged any more, and no other file is changed. */

import { expect, test } from 'bun:test';
import {
	copyFileSync,
	existsSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const SENDERS = 4;
const SETTINGS = { FORMSRV_RATE_SUBMIT: '0' };
const NOTICED_WITHIN_MS = 1000;

interface Site {
	cwd: string;
	data: string;
	file: string;
	backup: string;
}

/** The accident, and where the operator then finds the acknowledged submissions, if anywhere. */
const ACCIDENTS: [string, { happens(site: Site): void; kept?(site: Site): string }][] = [
	['rm -rf of the folder', { happens: ({ data }) => rmSync(data, { recursive: true }) }],
	['a backup moved over the file', { happens: ({ backup, file }) => renameSync(backup, file) }],
	[
		'the file moved away and a backup put in its place',
		{
			happens: ({ cwd, backup, file }) => {
				renameSync(file, join(cwd, 'old.db'));
				renameSync(backup, file);
			},
			kept: ({ cwd }) => join(cwd, 'old.db'),
		},
	],
	[
		'the folder moved away',
		{
			happens: ({ cwd, data }) => renameSync(data, join(cwd, 'data2')),
			kept: ({ cwd }) => join(cwd, 'data2', 'formsrv.db'),
		},
	],
	[
		'the folder replaced by a link to another one',
		{
			happens: ({ cwd, data }) => {
				renameSync(data, join(cwd, 'data2'));
				symlinkSync(tempFolder(), data);
			},
			kept: ({ cwd }) => join(cwd, 'data2', 'formsrv.db'),
		},
	],
	['the log removed', { happens: ({ file }) => rmSync(`${file}-wal`), kept: ({ file }) => file }],
	['the index of the log removed', { happens: ({ file }) => rmSync(`${file}-shm`), kept: ({ file }) => file }],
];

async function openSite(): Promise<Site> {
	const cwd = tempFolder();
	const data = join(cwd, 'formsrv-data');
	const backup = join(cwd, 'backup.db');
	expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
	expect((await runBinary(['backup', backup], { cwd })).code).toBe(0);
	return { cwd, data, file: join(data, 'formsrv.db'), backup };
}

async function submit(server: RunningBinary, mark: string): Promise<number> {
	const [base] = mark.split('-');
	const address = base === 'base' ? `${server.baseUrl}/api/f/contact` : `${server.submitUrl}/f/contact`;
	const response = await fetch(address, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: JSON.stringify({ mark }),
	});
	await response.arrayBuffer();
	return response.status;
}

/** Posts until it is stopped; records the acknowledged submissions and their times. */
function sendAll(server: RunningBinary) {
	const acknowledged = new Map<string, number>();
	const statuses = new Set<number>();
	let isOver = false;
	const load = {
		acknowledged,
		statuses,
		rejected: 0,
		async stop() {
			isOver = true;
			await Promise.all(senders);
		},
	};
	const senders = Array.from({ length: SENDERS }, async (_, sender) => {
		for (let i = 0; !isOver; i++) {
			const mark = `${sender % 2 ? 'base' : 'submit'}-${sender}-${i}`;
			const status = await submit(server, mark);
			statuses.add(status);
			if (status === 503) load.rejected++;
			if (status === 200) acknowledged.set(mark, performance.now());
		}
	});
	return load;
}

const statusOf = async (url: string) => (await fetch(url)).status;
const isHealthy = async ({ baseUrl, submitUrl }: RunningBinary) =>
	(await statusOf(`${baseUrl}/health`)) === 200 && (await statusOf(`${submitUrl}/health`)) === 200;
const isUnhealthy = async ({ baseUrl, submitUrl }: RunningBinary) =>
	(await statusOf(`${baseUrl}/health`)) === 503 && (await statusOf(`${submitUrl}/health`)) === 503;

function marksIn(path: string): Set<string> {
	const file = new BetterSqlite3(path);
	expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
	const marks = new Set(file.prepare("select data ->> 'mark' from submissions").pluck().all() as string[]);
	file.close();
	return marks;
}

test.each(ACCIDENTS)(
	'%s',
	async (_, { happens, kept }) => {
		const site = await openSite();
		await using server = await startBinary({ cwd: site.cwd, env: SETTINGS });
		const load = sendAll(server);
		await until(() => load.acknowledged.size > 200);
		const happenedAt = performance.now();
		happens(site);
		await until(() => isUnhealthy(server));
		await until(() => load.statuses.has(503));
		const { size } = load.acknowledged;
		await until(() => load.rejected > 100);
		await load.stop();
		expect(load.acknowledged.size).toBe(size);
		expect(Math.max(...load.acknowledged.values()) - happenedAt).toBeLessThan(NOTICED_WITHIN_MS);
		// Where a commit took long, it may have been noticed in the middle of it.
		load.statuses.delete(500);
		expect(load.statuses).toEqual(new Set([200, 503]));
		// Another program reads the file that is there now.
		const found = existsSync(site.file) ? marksIn(site.file) : undefined;
		expect(await server.end('SIGTERM')).toBe(0);
		if (kept) {
			const marks = marksIn(kept(site));
			expect([...load.acknowledged.keys()].filter((mark) => !marks.has(mark))).toEqual([]);
		}
		if (!existsSync(site.backup)) {
			expect(found).toEqual(new Set());
			expect(marksIn(site.file)).toEqual(new Set());
		}
	},
	60_000,
);

/** Returns the names in the folder, except attached files, whose folder comes with the first look at it. */
const databaseNames = (folder: string) =>
	readdirSync(folder)
		.filter((name) => name !== 'files')
		.sort();

/** A server that has stored `submit-first`, and whose file then lies at `old`; `names` were in its folder before. */
async function moveAway() {
	const site = await openSite();
	const server = await startBinary({ cwd: site.cwd, env: SETTINGS });
	const names = databaseNames(site.data);
	expect(await submit(server, 'submit-first')).toBe(200);
	const old = join(site.cwd, 'old.db');
	renameSync(site.file, old);
	return { site, server, old, names };
}

test('the same files come back: submissions are accepted again, and nothing is left over', async () => {
	const { site, server, old, names } = await moveAway();
	renameSync(site.backup, site.file);
	await until(() => isUnhealthy(server));
	expect(await submit(server, 'submit-never')).toBe(503);
	renameSync(site.file, site.backup);
	renameSync(old, site.file);
	await until(() => isHealthy(server));
	expect(databaseNames(site.data)).toEqual(names);
	expect(await submit(server, 'base-second')).toBe(200);
	expect(await server.end('SIGTERM')).toBe(0);
	expect(marksIn(site.file)).toEqual(new Set(['submit-first', 'base-second']));
}, 30_000);

test('changes from while it was away are not written', async () => {
	const { site, server, old } = await moveAway();
	renameSync(site.backup, site.file);
	await until(() => !existsSync(`${site.file}-wal`));
	const other = new BetterSqlite3(old);
	other.exec("update submissions set data = '{}'");
	other.pragma('wal_checkpoint(truncate)');
	other.close();
	renameSync(old, site.file);
	await until(() => existsSync(`${site.file}-wal`));
	expect(await isUnhealthy(server)).toBe(true);
	expect(await submit(server, 'submit-never')).toBe(503);
	expect(await server.end('SIGTERM')).toBe(0);
	expect(marksIn(site.file)).toEqual(new Set([null as unknown as string]));
}, 30_000);

test('a folder without its database gets no new one, also after a restart', async () => {
	const { site, server, old } = await moveAway();
	await until(() => isUnhealthy(server));
	expect(await server.end('SIGTERM')).toBe(0);
	expect(marksIn(old)).toEqual(new Set(['submit-first']));
	expect((await runBinary(['serve'], { cwd: site.cwd })).code).toBe(1);
}, 30_000);

test.each<[string, (site: Site) => void]>([
	['a backup copied over it', ({ backup, file }) => copyFileSync(backup, file)],
	['cut off', ({ file }) => truncateSync(file)],
])(
	'the same file with another content is noticed, and not written to: %s',
	async (_, happens) => {
		const site = await openSite();
		await using server = await startBinary({ cwd: site.cwd, env: SETTINGS });
		const load = sendAll(server);
		await until(() => load.acknowledged.size > 200);
		const happenedAt = performance.now();
		happens(site);
		const content = readFileSync(site.file);
		await until(() => isUnhealthy(server));
		await until(() => load.rejected > 100);
		await load.stop();
		expect(Math.max(...load.acknowledged.values()) - happenedAt).toBeLessThan(NOTICED_WITHIN_MS);
		expect(await server.end('SIGTERM')).toBe(0);
		expect(readFileSync(site.file).equals(content)).toBe(true);
		// The log is of the database that was there.
		const { code, stderr } = await runBinary(['serve'], { cwd: site.cwd });
		expect(code).toBe(1);
		expect(stderr).toContain('formsrv.db-wal');
	},
	60_000,
);

test('meanwhile owners can read and not write, no other file is opened, and the log says it once', async () => {
	const site = await openSite();
	const key = (await runBinary(['keys', 'create'], { cwd: site.cwd })).stdout.trim();
	const log = join(site.cwd, 'log');
	await using server = await startBinary({ cwd: site.cwd, env: SETTINGS, stderr: openSync(log, 'w') });
	const ask = async (path: string, method = 'GET') =>
		fetch(`${server.baseUrl}${path}`, { method, headers: { Authorization: `Bearer ${key}` } });
	expect(await submit(server, 'submit-first')).toBe(200);
	const { forms } = (await (await ask('/api/forms')).json()) as { forms: { id: string }[] };
	renameSync(site.backup, site.file);
	await until(() => isUnhealthy(server));
	for (const url of [server.baseUrl, server.submitUrl]) {
		const ready = await fetch(`${url}/ready`);
		expect(ready.status).toBe(503);
		expect(await ready.json()).toMatchObject({
			code: 'UNAVAILABLE',
			error: expect.stringContaining('removed, moved, replaced or overwritten'),
		});
	}
	const form = `/api/forms/${forms[0]?.id}`;
	expect((await ask(`${form}/submissions`)).status).toBe(200);
	expect((await ask(`${form}/export?format=json`)).status).toBe(503);
	expect((await ask(form, 'DELETE')).status).toBe(503);
	for (let i = 0; i < 20; i++) expect(await submit(server, `submit-${i}`)).toBe(503);
	expect(await server.end('SIGTERM')).toBe(0);
	const errors = readFileSync(log, 'utf8')
		.split('\n')
		.filter((line) => line.includes('"level":"ERROR"'));
	expect(errors.map((line) => JSON.parse(line))).toMatchObject([{ finding: 'file', refused: 0 }]);
	expect(errors[0]).toContain(site.file);
}, 30_000);
