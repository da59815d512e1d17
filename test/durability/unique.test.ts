/** A value is in one acknowledged submission, however often the process is killed while many try to be the first with it. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { KILLS } from './kills.ts';

const CYCLES = Math.min(KILLS, 10);
const SENDERS = 32;
const PER_CYCLE = 60;
const SETTINGS = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_LOG_LEVEL: 'error' };

test(`of many who send the same in ${CYCLES} kills one is acknowledged and stored`, async () => {
	const cwd = tempFolder();
	const rules = JSON.stringify([{ name: 'email', type: 'text', unique: true }]);
	const created = await runBinary(['forms', 'create', 'Vote', '--slug', 'vote', '--fields', rules], { cwd });
	expect(created.code).toBe(0);
	const acknowledged: string[] = [];
	let next = 0;

	async function send(server: RunningBinary): Promise<boolean> {
		// Neighbours send the same.
		const email = `V${Math.floor(next++ / 8)}`;
		try {
			const response = await fetch(`${server.submitUrl}/f/vote`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
				body: JSON.stringify({ email: next % 2 ? email : email.toLowerCase() }),
			});
			await response.arrayBuffer();
			if (response.status === 200) acknowledged.push(email);
			else expect(response.status).toBe(400);
			return true;
		} catch {
			return false;
		}
	}

	for (let cycle = 0; cycle < CYCLES; cycle++) {
		await using server = await startBinary({ cwd, env: SETTINGS });
		const enough = acknowledged.length + PER_CYCLE;
		const sender = async () => {
			while (acknowledged.length < enough && (await send(server)));
		};
		const senders = Array.from({ length: SENDERS }, sender);
		await Promise.race(senders);
		await server.end('SIGKILL');
		await Promise.all(senders);
	}
	const file = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'), { readonly: true });
	const stored = file
		.prepare('select data from submissions')
		.all()
		.map((row) => (JSON.parse((row as { data: string }).data) as { email: string }).email.toUpperCase());
	file.close();
	expect(new Set(stored).size).toBe(stored.length);
	expect(new Set(acknowledged).size).toBe(acknowledged.length);
	expect(acknowledged.filter((email) => !stored.includes(email))).toEqual([]);
}, 120_000);
