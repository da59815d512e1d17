/** Nothing acknowledged is lost or doubled, however the process ends. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { beforeKillMs, KILLS } from './kills.ts';

const SENDERS = 16;
const UNLIMITED = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_LOG_LEVEL: 'error' };

/** Posts one submission after the other until the server is gone; remembers those that were acknowledged. */
async function sendUntilGone(server: RunningBinary, { name, acknowledged }: { name: string; acknowledged: string[] }) {
	for (let i = 0; ; i++) {
		const mark = `${name}-${i}`;
		try {
			const response = await fetch(`${server.submitUrl}/f/contact`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
				body: JSON.stringify({ mark, [`field ${i % 7}`]: 'x'.repeat(i % 500) }),
			});
			if (response.status === 200) acknowledged.push(mark);
			await response.arrayBuffer();
		} catch {
			return;
		}
	}
}

test(`every submission acknowledged before one of ${KILLS} kills is there exactly once`, async () => {
	const cwd = tempFolder();
	const created = await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	expect(created.code).toBe(0);
	const acknowledged: string[] = [];
	for (let cycle = 0; cycle < KILLS; cycle++) {
		await using server = await startBinary({ cwd, env: UNLIMITED });
		const senders = Array.from({ length: SENDERS }, (_, i) =>
			sendUntilGone(server, { name: `${cycle}-${i}`, acknowledged }),
		);
		const before = acknowledged.length;
		// A slow disk may acknowledge nothing before every kill.
		if (cycle % 2 === 1) await until(() => acknowledged.length > before, { everyMs: 5 });
		await Bun.sleep(beforeKillMs(cycle));
		await server.end('SIGKILL');
		await Promise.all(senders);
	}
	expect(acknowledged.length).toBeGreaterThanOrEqual(Math.floor(KILLS / 2));

	await using server = await startBinary({ cwd });
	expect(await server.end('SIGTERM')).toBe(0);
	const file = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'), { readonly: true });
	const rows = file.prepare("select data ->> 'mark' as mark, count(*) as n from submissions group by 1").all();
	const stored = new Map((rows as { mark: string; n: number }[]).map(({ mark, n }) => [mark, n]));
	expect(acknowledged.filter((mark) => stored.get(mark) !== 1)).toEqual([]);
	const [form] = file.prepare('select total, unread, spam from forms').all();
	const total = file.prepare('select count(*) from submissions').pluck().get();
	expect(form).toEqual({ total, unread: total, spam: 0 });
	const names = file.prepare("select json_extract(name, '$') as name, count from field_names order by name").all();
	const counted = file
		.prepare('select key as name, count(*) as count from submissions, json_each(data) group by key order by key')
		.all();
	expect(names).toEqual(counted);
	expect(file.prepare('select sum(total) from submission_blocks').pluck().get()).toBe(total);
	expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
	file.close();
}, 180_000);

test('a stop by SIGTERM finishes what is in flight and ends with 0', async () => {
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	await using server = await startBinary({ cwd, env: UNLIMITED });
	const acknowledged: string[] = [];
	const senders = Array.from({ length: SENDERS }, (_, i) => sendUntilGone(server, { name: `${i}`, acknowledged }));
	await Bun.sleep(200);
	expect(await server.end('SIGTERM')).toBe(0);
	await Promise.all(senders);
	const file = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'), { readonly: true });
	expect(file.prepare('select count(*) from submissions').pluck().get()).toBe(acknowledged.length);
	file.close();
}, 30_000);
