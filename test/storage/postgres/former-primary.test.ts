/** A primary that was lost, and is back without being told that the standby was promoted: nothing goes there. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import postgres from 'postgres';
import { createLog } from '../../../src/log/log.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { type Pair, startPair } from '../../durability/postgres/pair.ts';
import { until } from '../../until.ts';

let pair: Pair;
let address: string;
let storage: Storage | undefined;
let logged: string;

beforeEach(async () => {
	pair = await startPair();
	address = pair.address('postgres');
	logged = '';
	await (await openStorage(address)).close();
	await pair.primary.stop('immediate');
	await pair.promote();
}, 60_000);

afterEach(async () => {
	await storage?.close();
	await pair.close();
}, 60_000);

/** The former primary is the first of the address. */
async function open(): Promise<Storage> {
	const write = (lines: Uint8Array) => {
		logged += new TextDecoder().decode(lines);
	};
	storage = await openStorage(address, { log: createLog({ level: 'error', format: 'text', write }) });
	return storage;
}

async function formsAt(server: string): Promise<number> {
	const sql = postgres(server, { max: 1 });
	const rows = await sql`select 1 from forms`;
	await sql.end();
	return rows.length;
}

const storeForm = ({ batch }: Storage, id: number) =>
	batch((tx) => [tx.insert(forms).values({ id, mode: 'live', slug: `s${id}`, name: 'n' })]);

test('a server that is started afterwards uses the one that was promoted, and says so of the other', async () => {
	await pair.primary.start();
	await storeForm(await open(), 1);
	expect(await formsAt(pair.standby.address())).toBe(1);
	expect(await formsAt(pair.primary.address())).toBe(0);
	expect(logged).toContain(`127.0.0.1:${pair.primary.port} says that it is the primary`);
}, 60_000);

test('a server that runs stays with the one that was promoted, also when its connections break', async () => {
	const opened = await open();
	await pair.primary.start();
	await until(() => logged.includes(`127.0.0.1:${pair.primary.port} says that it is the primary`));
	const admin = postgres(pair.standby.address(), { max: 1 });
	for (let id = 1; id <= 20; id++) {
		await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'formsrv%'`;
		await until(() => storeForm(opened, id).catch(() => false));
	}
	await admin.end();
	expect(await formsAt(pair.standby.address())).toBe(20);
	expect(await formsAt(pair.primary.address())).toBe(0);
}, 60_000);
