/** The writer: what shares a commit, and how long the first of those waits. */

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { createFindings } from '../../../src/storage/findings.ts';
import { createWriter } from '../../../src/storage/sqlite/writer.ts';

const TURNS = 12;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Goes through turns of the event loop, in some of which a job arrives; says how many jobs each commit held. */
async function commitsOf(arrivals: readonly boolean[]): Promise<number[]> {
	using client = new Database(':memory:');
	client.run('create table rows (id integer primary key)');
	const commits: number[] = [];
	const writer = createWriter(client, {
		hooks: { begun: () => commits.push(0), committing: () => {}, rolledBack: () => {} },
		findings: createFindings({}),
		glance: () => {},
	});
	const done: Promise<void>[] = [];
	for (const arrives of arrivals) {
		if (arrives) {
			done.push(
				new Promise((resolve, reject) => {
					const run = () => {
						client.run('insert into rows default values');
						commits.push((commits.pop() ?? 0) + 1);
					};
					writer.enqueue({ compound: false, run, resolve, reject });
				}),
			);
		}
		await nextTurn();
	}
	await Promise.all(done);
	expect(client.query('select count(*) as n from rows').get()).toEqual({ n: done.length });
	return commits;
}

test('jobs that arrive turn after turn share a commit', async () => {
	expect(await commitsOf([true, true, true])).toEqual([3]);
});

test('a job after which none arrives does not wait for later ones', async () => {
	expect(await commitsOf([true, false, false, true])).toEqual([1, 1]);
});

test('a job waits for later ones unless the last one was alone, too', async () => {
	expect(await commitsOf([true, false, false, true, true])).toEqual([1, 1, 1]);
	expect(await commitsOf([true, true, false, false, true, true])).toEqual([2, 2]);
});

test('jobs without end hold no commit up', async () => {
	const commits = await commitsOf(Array.from({ length: TURNS }, () => true));
	expect(commits.length).toBeGreaterThan(1);
	expect(Math.max(...commits)).toBeLessThanOrEqual(TURNS / 2);
});

test('a job that spoils the commit fails alone', async () => {
	using client = new Database(':memory:');
	client.run('pragma foreign_keys = on');
	client.run('create table forms (id integer primary key)');
	client.run(
		'create table rows (id integer primary key, form_id integer references forms deferrable initially deferred)',
	);
	const writer = createWriter(client, {
		hooks: { begun: () => {}, committing: () => {}, rolledBack: () => {} },
		findings: createFindings({}),
		glance: () => {},
	});
	const insert = (id: number, formId: number | null) =>
		new Promise<void>((resolve, reject) => {
			const run = () => void client.run('insert into rows values (?, ?)', [id, formId]);
			writer.enqueue({ compound: false, run, resolve, reject });
		});
	const results = await Promise.allSettled([insert(1, null), insert(2, 7), insert(3, null)]);
	expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
	expect(client.query('select id from rows order by id').values().flat()).toEqual([1, 3]);
});
