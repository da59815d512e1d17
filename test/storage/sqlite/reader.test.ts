import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite as openStorage } from '../../../src/storage/sqlite/open.ts';
import { SCANS } from '../../../src/submissions/scan-module.ts';
import { tempFolder } from '../../temp-folder.ts';

/** How nice each thread of this process is, by its id; see proc_pid_stat(5). */
function niceness(): Map<string, number> {
	const threads = readdirSync('/proc/self/task').map((thread): [string, number] => {
		const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
		return [thread, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])];
	});
	return new Map(threads);
}

test.skipIf(process.platform !== 'linux')('the thread steps back behind those that take submissions', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const storage = openStorage(file, { scans: SCANS });
	const reader = storage.longReads;
	const before = niceness();
	await reader.call('ids', { formId: 1, filter: 'all' }, { order: 'asc', limit: 1 });
	const during = niceness();
	expect([...before].filter(([thread, nice]) => during.get(thread) !== nice)).toEqual([]);
	expect(during.values().toArray()).toContain(10);
	await reader.close();
	await storage.close();
});

test('a call that arrives while the thread ends is answered by a new one', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const storage = openStorage(file, { scans: SCANS });
	const reader = storage.longReads;
	const ask = () => reader.call('ids', { formId: 1, filter: 'all' }, { order: 'asc', limit: 1 });
	const before = ask();
	const closing = reader.close();
	expect(await Promise.all([before, ask()])).toEqual([[], []]);
	await closing;
	expect(reader.isRunning()).toBe(true);
	void reader.close();
	expect(reader.isRunning()).toBe(true);
	await reader.close();
	expect(reader.isRunning()).toBe(false);
	await storage.close();
});
