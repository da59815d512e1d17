/** A form has exactly as many submissions as it takes, however often the process is killed while they arrive. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { KILLS } from './kills.ts';

const PLACES = 2000;
/** Before the form is full. */
const CYCLES = Math.min(KILLS, 15);
const SENDERS = 64;
/** A server is killed once it has acknowledged so many. */
const PER_CYCLE = 80;
const AT_LAST = 10_000;
const SETTINGS = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_LOG_LEVEL: 'error' };

/** The status, or 0 if the server was gone. */
async function send(server: RunningBinary, mark: string): Promise<number> {
	try {
		const response = await fetch(`${server.submitUrl}/f/seminar`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'Idempotency-Key': mark },
			body: JSON.stringify({ mark }),
		});
		await response.arrayBuffer();
		return response.status;
	} catch {
		return 0;
	}
}

test(`of ${AT_LAST} at the end of ${CYCLES} kills those are accepted for whom there was a place`, async () => {
	const cwd = tempFolder();
	const place = ['--max-submissions', `${PLACES}`];
	const created = await runBinary(['forms', 'create', 'Seminar', '--slug', 'seminar', ...place], { cwd });
	expect(created.code).toBe(0);
	const acknowledged: string[] = [];
	let sent = 0;
	for (let cycle = 0; cycle < CYCLES; cycle++) {
		await using server = await startBinary({ cwd, env: SETTINGS });
		const enough = Promise.withResolvers<void>();
		const until = acknowledged.length + PER_CYCLE;
		const senders = Array.from({ length: SENDERS }, async () => {
			for (;;) {
				const mark = `m${sent++}`;
				const status = await send(server, mark);
				if (status === 0) return;
				expect(status).toBe(200);
				if (acknowledged.push(mark) >= until) enough.resolve();
			}
		});
		await enough.promise;
		await server.end('SIGKILL');
		await Promise.all(senders);
	}

	await using server = await startBinary({ cwd, env: SETTINGS });
	const statuses = new Map<number, number>();
	const last = sent + AT_LAST;
	const sendRest = async () => {
		while (sent < last) {
			const mark = `m${sent++}`;
			const status = await send(server, mark);
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
			if (status === 200) acknowledged.push(mark);
		}
	};
	await Promise.all(Array.from({ length: 4 * SENDERS }, sendRest));
	expect([...statuses.keys()].sort()).toEqual([200, 403]);
	expect(acknowledged.length).toBeLessThanOrEqual(PLACES);
	// Submissions acknowledged by either process are still there, and nothing else.
	const again = await Promise.all(acknowledged.slice(0, 200).map((mark) => send(server, mark)));
	expect(new Set(again)).toEqual(new Set([200]));
	expect(await send(server, 'one more')).toBe(403);
	expect(await server.end('SIGTERM')).toBe(0);

	const file = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'), { readonly: true });
	const marks = file.prepare("select data ->> 'mark' from submissions").pluck().all() as string[];
	expect([marks.length, new Set(marks).size]).toEqual([PLACES, PLACES]);
	const stored = new Set(marks);
	expect(acknowledged.filter((mark) => !stored.has(mark))).toEqual([]);
	expect(file.prepare('select total from forms').pluck().get()).toBe(PLACES);
	file.close();
}, 120_000);
