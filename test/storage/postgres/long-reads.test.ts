/** Scans in PostgreSQL: a thread does them, on a connection of its own. */

import { afterEach, expect, test } from 'bun:test';
import postgres from 'postgres';
import type { ScanRequest, Storage } from '../../../src/storage/contract.ts';
import { Unavailable } from '../../../src/storage/errors.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { SCANS } from '../../../src/submissions/scan-module.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { startTcpProxy, type TcpProxy } from '../../tcp-proxy.ts';
import { until } from '../../until.ts';

const FORM = 7;
const REQUEST: ScanRequest = { selection: { formId: FORM, filter: 'all' }, order: 'asc' };

let storage: Storage;
let proxy: TcpProxy | undefined;

afterEach(async () => {
	proxy?.restore();
	await storage.close();
	await proxy?.close();
});

async function open(address: string): Promise<void> {
	storage = await openStorage(address, { scans: SCANS });
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	await storage.submissions.append({
		...{ formId: FORM, data: '{"n":"1"}', names: ['n'] },
		...{ spamReason: null, subject: null, replyTo: null },
	});
}

const scan = () => storage.submissions.scan<ScanRequest, { count: number }>('suggestFields', REQUEST);

test('when the connection of the thread breaks, the next scan has another', async () => {
	const address = await newPostgresDatabase();
	await open(address);
	const first = await scan();
	const admin = postgres(address, { max: 1 });
	const ended = await admin`select pg_terminate_backend(pid) from pg_stat_activity
		where datname = current_database() and application_name = 'formsrv reader'`;
	await admin.end();
	expect(ended).toHaveLength(1);
	expect(await scan().catch(scan)).toEqual(first);
});

test('while the database is away a scan is rejected at once, and done again when it is back', async () => {
	proxy = await startTcpProxy(await newPostgresDatabase());
	await open(proxy.address);
	const first = await scan();
	proxy.cut();
	await until(() => storage.findings.has('database'));
	const since = performance.now();
	await expect(scan()).rejects.toBeInstanceOf(Unavailable);
	expect(performance.now() - since).toBeLessThan(1000);
	proxy.restore();
	await until(() => !storage.findings.has('database'));
	expect(await scan().catch(scan)).toEqual(first);
});
