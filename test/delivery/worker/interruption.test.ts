/** Attempts in flight when the worker stops, is killed, or takes too long. */

import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { encodeId } from '../../../src/ids.ts';
import { deliveries, submissions } from '../../../src/storage/tables.ts';
import { allIn, messageIds, useDeliveryFixtures } from '../fixtures.ts';

const { openFixture, server } = useDeliveryFixtures();

test('stopping lets attempts in flight finish', async () => {
	const peer = await server({ greeting: 'hang' });
	const { submit, start, stop, until, rows } = await openFixture({ smtpUrl: peer.url });
	await start();
	await submit();
	await until(() => peer.connections.length === 1);
	const stopped = stop(10_000);
	// Long enough for a stop that grants no grace to have broken it off.
	await Bun.sleep(50);
	peer.say('220 at last');
	await stopped;
	expect(await rows()).toMatchObject([{ state: 'sent', attempts: 1 }]);
	expect(peer.accepted).toHaveLength(1);
});

test('stopping breaks off what hangs, and gives it back untouched', async () => {
	const peer = await server({ DATA: 'hang' });
	const { submit, start, stop, until } = await openFixture({ smtpUrl: peer.url });
	await start();
	await submit();
	await until(allIn('sending', 1));
	await until(() => peer.connections.length === 1);
	await stop(50);
	const [row] = await until(allIn('waiting', 1));
	expect(row).toMatchObject({ attempts: 0 });
	expect(row?.nextAttemptAt ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(Date.now());
});

test('a lease that its holder does not renew falls back, one that is renewed does not', async () => {
	const peer = await server({ DATA: 'hang' });
	const { storage, submit, start, until } = await openFixture({ smtpUrl: peer.url });
	await start();
	await submit({}, { spamReason: 'honeypot' });
	await storage.batch((tx) => [
		tx.update(submissions).set({ isSpam: false }),
		tx.update(deliveries).set({ state: 'sending', attempts: 1, nextAttemptAt: Date.now() + 300 }),
	]);
	const [row] = await until(([found]) => found?.attempts === 2);
	expect(row?.state).toBe('sending');
	await Bun.sleep(1500);
	const [later] = await until(allIn('sending', 1));
	expect(later?.attempts).toBe(2);
	expect(peer.connections).toHaveLength(1);
});

test('deliveries whose lease ended go first and at once, unless they were interrupted several times', async () => {
	const peer = await server();
	const { storage, submit, start, until } = await openFixture({ smtpUrl: peer.url });
	const ids: number[] = [];
	for (let i = 0; i < 5; i++) ids.push(await submit());
	const [first, second, suspect, leased] = ids as [number, number, number, number];
	const interrupt = (submission: number, attempts: number, leaseMs = 0) =>
		storage.batch((tx) => [
			tx
				.update(deliveries)
				.set({ state: 'sending', attempts, nextAttemptAt: Date.now() + leaseMs })
				.where(eq(deliveries.submissionId, submission)),
		]);
	await interrupt(first, 1);
	await interrupt(second, 2);
	await interrupt(suspect, 3);
	await interrupt(leased, 1, 3_600_000);
	await start();
	const rows = await until((found) => found.filter(({ state }) => state === 'sent').length === 3);
	expect(rows.map(({ attempts }) => attempts)).toEqual([2, 3, 3, 1, 1]);
	expect(messageIds(peer)[0]).toStartWith(encodeId(first));
	const deferred = rows.find(({ submissionId }) => submissionId === suspect);
	expect(deferred).toMatchObject({ state: 'waiting', lastError: expect.stringContaining('may have arrived') });
	expect((deferred?.nextAttemptAt ?? 0) - Date.now()).toBeGreaterThan(600_000);
	expect(rows.find(({ submissionId }) => submissionId === leased)?.state).toBe('sending');
});

test('one that is given up as the server ended is told to those who watch; one that was removed in its attempt is not', async () => {
	const peer = await server({ greeting: 'hang' });
	const { storage, submit, start, until, stop } = await openFixture({ smtpUrl: peer.url });
	const told: string[] = [];
	storage.events.subscribe(['delivery'], ({ state }) => void told.push(state));
	await submit();
	await storage.batch((tx) => [tx.update(deliveries).set({ state: 'sending', attempts: 1000, nextAttemptAt: 1 })]);
	await start();
	await until(allIn('failed', 1));
	expect(told).toEqual(['failed']);
	const id = await submit();
	await until(() => peer.connections.length === 1);
	await storage.batch((tx) => [tx.delete(submissions).where(eq(submissions.id, id))]);
	peer.say('550 5.7.1 refused');
	await stop(10_000);
	expect(told).toEqual(['failed', 'sending']);
});

test('the end of an attempt changes nothing if another server has taken the delivery over, and sends it', async () => {
	const peer = await server({ content: 'hang' });
	const { storage, submit, start, until } = await openFixture({ smtpUrl: peer.url });
	await start();
	await submit();
	await until(() => peer.handedOver.length === 1);
	await storage.batch((tx) => [tx.update(deliveries).set({ attempts: 2, nextAttemptAt: Date.now() + 3_600_000 })]);
	peer.script = {};
	peer.say('451 try later');
	await submit();
	const rows = await until((found) => found.some(({ state }) => state === 'sent'));
	expect(rows).toMatchObject([
		{ state: 'sending', attempts: 2 },
		{ state: 'sent', attempts: 1 },
	]);
});
