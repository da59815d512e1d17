/** Another program reads the database for long: nothing waits for it, the log grows, and shrinks when it is over. */

import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { LOG_KEEPS_BYTES } from '../../src/storage/sqlite/connection.ts';
import { until } from '../until.ts';
import { serveOneForm } from './one-form.ts';

const AT_ONCE = 20;
const LARGE_BYTES = 3 * LOG_KEEPS_BYTES;

test('submissions are stored meanwhile, the reader sees what it saw, and the log shrinks afterwards', async () => {
	const form = await serveOneForm();
	const logBytes = () => statSync(`${form.file}-wal`).size;
	const submitSome = () =>
		Promise.all(Array.from({ length: AT_ONCE }, () => form.submit({ text: 'x'.repeat(100_000) })));
	await form.submit();
	const reader = new BetterSqlite3(form.file, { readonly: true });
	reader.exec('begin');
	expect(reader.prepare('select count(*) from submissions').pluck().get()).toBe(1);
	while (logBytes() < LARGE_BYTES) expect(await submitSome()).toEqual(Array(AT_ONCE).fill(200));
	expect(await form.probe('/ready')).toBe(200);
	expect(reader.prepare('select count(*) from submissions').pluck().get()).toBe(1);

	reader.close();
	await until(async () => {
		expect(await form.submit()).toBe(200);
		return logBytes() <= LOG_KEEPS_BYTES;
	});
	expect(await form.server.end('SIGTERM')).toBe(0);
	expect(form.wrong()).toEqual([]);
}, 90_000);
