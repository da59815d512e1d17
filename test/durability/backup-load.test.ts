/** A backup while visitors send files and an owner deletes some: it holds what was acknowledged before it began, and each file whole. */

import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { openFolder } from '../../src/files/folder.ts';
import { openStorage } from '../../src/storage/open.ts';
import { addForm, submitFiles } from '../backup/visitors-files.ts';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

/** Before the load begins. */
const FILES = Number(process.env.BACKUP_FILES ?? 1000);
const WITHIN_MS = FILES > 1000 ? 600_000 : 120_000;
const PER_SUBMISSION = 5;
const VISITORS = 4;
const DATA = 'formsrv-data';

/** By the id of a submission: the hashes of its files. */
type Submissions = Map<string, string[]>;

const hashOf = (content: Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex');

/** As they lie in the data folder, read without our code. */
function submissionsIn(data: string): Submissions {
	const client = new BetterSqlite3(join(data, 'formsrv.db'), { readonly: true });
	const rows = client.prepare('select submission_id id, key, bytes from files order by id').safeIntegers().all() as {
		id: bigint;
		key: string;
	}[];
	client.close();
	const found: Submissions = new Map();
	for (const { id, key } of rows) {
		const hash = hashOf(readFileSync(join(data, 'files', key.slice(0, 2), key)));
		found.set(`${id}`, [...(found.get(`${id}`) ?? []), hash]);
	}
	return found;
}

async function fill(cwd: string): Promise<void> {
	mkdirSync(join(cwd, DATA));
	const storage = await openStorage(join(cwd, DATA, 'formsrv.db'));
	const store = openFolder(join(cwd, DATA, 'files'));
	await addForm(storage);
	const sizes = Array.from({ length: PER_SUBMISSION }, (_, i) => i * 700);
	let left = FILES / PER_SUBMISSION;
	const work = async () => {
		while (left-- > 0) await submitFiles(storage, store, sizes);
	};
	await Promise.all(Array.from({ length: 20 }, work));
	await storage.close();
}

test(
	'of an installation in use',
	async () => {
		const cwd = tempFolder();
		await fill(cwd);
		const key = (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
		await using server = await startBinary({
			cwd,
			env: { FORMSRV_LOG_LEVEL: 'error', FORMSRV_RATE_SUBMIT: '1000000' },
		});
		const owner = { Authorization: `Bearer ${key}` };
		const [form] = (await (await fetch(`${server.baseUrl}/api/forms`, { headers: owner })).json()).forms;
		const api = `${server.baseUrl}/api/forms/${form.id}/submissions`;
		const [oldest] = (await (await fetch(`${api}?order=asc&limit=1`, { headers: owner })).json()).submissions;

		/** The hashes of the files of each submission that was acknowledged. */
		const acknowledged: string[] = [];
		let isOver = false;
		async function visit(): Promise<void> {
			while (!isOver) {
				const contents = [1, 2].map((n) => crypto.getRandomValues(new Uint8Array(n * 1500)));
				const body = new FormData();
				for (const content of contents) body.append('cv', new File([content], 'cv.bin'));
				const headers = { Accept: 'application/json' };
				const response = await fetch(`${server.submitUrl}/f/jobs`, { method: 'POST', body, headers });
				expect(response.status).toBe(200);
				await response.body?.cancel();
				acknowledged.push(contents.map(hashOf).join(' '));
			}
		}
		const visits = Array.from({ length: VISITORS }, visit);
		await until(() => acknowledged.length >= 40);

		const stored = submissionsIn(join(cwd, DATA));
		const before = [...acknowledged];
		const backup = runBinary(['backup', 'x.tar'], { cwd });
		const removed = await fetch(`${api}/${oldest.id}`, { method: 'DELETE', headers: owner });
		expect(removed.ok).toBe(true);
		expect(await backup).toMatchObject({ code: 0, stderr: '' });
		isOver = true;
		await Promise.all(visits);
		await server.end('SIGTERM');

		expect((await runBinary(['backup', 'verify', 'x.tar'], { cwd })).code).toBe(0);
		expect((await runBinary(['restore', 'x.tar', '--data-dir', 'restored'], { cwd })).code).toBe(0);
		const restored = submissionsIn(join(cwd, 'restored'));
		const hashes = new Set([...restored.values()].map((files) => files.join(' ')));
		expect(before.filter((files) => !hashes.has(files))).toEqual([]);
		const lost = [...stored].filter(([id, files]) => restored.get(id)?.join(' ') !== files.join(' '));
		// The one that was deleted after it began may or may not be there.
		expect(lost.length).toBeLessThanOrEqual(1);
		const known = new Set([...acknowledged, ...[...stored.values()].map((files) => files.join(' '))]);
		expect([...hashes].filter((files) => !known.has(files))).toEqual([]);
		const client = new BetterSqlite3(join(cwd, 'restored', 'formsrv.db'), { readonly: true });
		const rows = client.prepare('select sha256 from files order by id').pluck().all() as string[];
		client.close();
		expect([...restored.values()].flat().sort()).toEqual(rows.sort());
	},
	WITHIN_MS,
);
