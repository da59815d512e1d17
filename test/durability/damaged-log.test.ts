/** The log of a killed server is damaged before the next start: that is said, and nothing is given up unasked. */

import { expect, test } from 'bun:test';
import { openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { runBinary } from '../binary.ts';
import { serveOneForm } from './one-form.ts';

test('no command opens the database, until the operator gives up what cannot be read', async () => {
	const form = await serveOneForm();
	for (let i = 0; i < 20; i++) expect(await form.submit()).toBe(200);
	await form.server.end('SIGKILL');
	const log = `${form.file}-wal`;
	writeSync(openSync(log, 'r+'), 'damage', Math.floor(statSync(log).size / 2));
	const bytes = readFileSync(log);

	for (const args of [
		['serve', '--port', '0', '--submit-port', '0'],
		['keys', 'create'],
		['forms', 'list'],
	]) {
		const { code, stderr } = await runBinary(args, form);
		expect(stderr).toMatch(
			/-wal is damaged at byte \d+, and \d+ commits or more behind that cannot be read\. Nothing was changed\./,
		);
		expect(code).toBe(1);
	}
	expect(readFileSync(log).equals(bytes)).toBe(true);

	const { stderr } = await runBinary(['forms', 'list'], form);
	truncateSync(log, Number(/truncate -s (\d+)/.exec(stderr)?.[1]));
	await form.restart();
	expect(await form.submit()).toBe(200);
	expect(await form.server.end('SIGTERM')).toBe(0);
	const lost = form.wrong().map(({ mark }) => Number(mark.slice(5)));
	expect(lost.length).toBeGreaterThan(0);
	// All that were stored before the damage are there.
	expect(lost).toEqual(Array.from({ length: lost.length }, (_, i) => 20 - lost.length + i));
	expect((await runBinary(['doctor', '--port', '0'], form)).stdout).not.toContain('!!');
}, 60_000);
