/** The leader of a kind of work in PostgreSQL: one of all servers, and another when it is gone. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import type { Storage } from '../../../src/storage/contract.ts';
import { OutcomeUnknown } from '../../../src/storage/errors.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { startTcpProxy } from '../../tcp-proxy.ts';
import { until } from '../../until.ts';

test('one server leads; when it stops, or its connection is lost, its work ends and another server begins', async () => {
	const address = await newPostgresDatabase();
	const sql = postgres(address, { max: 1, fetch_types: false });
	const events: string[] = [];
	const leadAs = (storage: Storage, name: string) =>
		storage.lead('delivery', () => {
			events.push(`${name} begins`);
			return async () => void events.push(`${name} ends`);
		});
	const seen = (event: string, count = 1) => until(() => events.filter((one) => one === event).length >= count);
	const [first, second] = [await openStorage(address), await openStorage(address)];
	const stopFirst = leadAs(first, 'first');
	await seen('first begins');
	const stopSecond = leadAs(second, 'second');
	await stopFirst(0);
	await seen('second begins');
	expect(events).toEqual(['first begins', 'first ends', 'second begins']);
	await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'formsrv leader' and datname = current_database()`;
	await seen('second begins', 2);
	expect(events.slice(3)).toEqual(['second ends', 'second begins']);
	await stopSecond(0);
	await Promise.all([first.close(), second.close(), sql.end()]);
}, 30_000);

test('what a server held whose machine is lost in a transaction is free again: its work, and the rows that it changed', async () => {
	const address = await newPostgresDatabase();
	const proxy = await startTcpProxy(address);
	const [lost, other] = [await openStorage(proxy.address), await openStorage(address)];
	await other.batch((tx) => [tx.insert(forms).values({ id: 7, mode: 'live', slug: 's', name: 'before' })]);
	const begins = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	let begun = 0;
	const leadBy = (storage: Storage) =>
		storage.lead('delivery', () => {
			begins[begun++]?.resolve();
			return async () => {};
		});
	const stopLost = leadBy(lost);
	await begins[0]?.promise;
	const stopOther = leadBy(other);
	const change = lost.batch(
		(tx) => [tx.update(forms).set({ name: 'lost' })],
		() => {
			proxy.sever();
			return null;
		},
	);
	expect(await change.catch((error: unknown) => error)).toBeInstanceOf(OutcomeUnknown);
	await other.batch((tx) => [tx.update(forms).set({ slug: 'after' })]);
	expect(await other.db.select({ slug: forms.slug, name: forms.name }).from(forms)).toEqual([
		{ slug: 'after', name: 'before' },
	]);
	await begins[1]?.promise;
	await Promise.all([stopLost(0), stopOther(0)]);
	await Promise.all([lost.close(), other.close()]);
	await proxy.close();
}, 60_000);
