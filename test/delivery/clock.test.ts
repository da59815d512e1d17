/** Clock steps: no mass expiry, no flood of attempts, and unique ids afterwards. */

import { expect, test } from 'bun:test';
import { webhooks } from '../../src/storage/tables.ts';
import { allIn, useDeliveryFixtures } from './fixtures.ts';

const { openFixture, server } = useDeliveryFixtures();

test('a clock that is set forward ends nothing and starts no storm', async () => {
	const clock = { shift: 0 };
	const peer = await server({ RCPT: '451 later' });
	const { submit, start, until } = await openFixture({ smtpUrl: peer.url, now: () => Date.now() + clock.shift });
	await start();
	for (let i = 0; i < 10; i++) await submit();
	await until((rows) => rows.some(({ attempts }) => attempts > 0));
	clock.shift = 30 * 24 * 3_600_000;
	const before = peer.connections.length;
	await Bun.sleep(300);
	expect(peer.connections.length - before).toBeLessThanOrEqual(8);
	const rows = await until(() => true);
	expect(rows.filter(({ state }) => state === 'failed')).toEqual([]);
});

test('a clock that is set back keeps nothing waiting for the old time', async () => {
	const clock = { shift: 30 * 24 * 3_600_000 };
	const peer = await server({ RCPT: '450 later' });
	const { submit, start, until } = await openFixture({ smtpUrl: peer.url, now: () => Date.now() + clock.shift });
	await start();
	await submit();
	await until(([row]) => row?.attempts === 1 && row.state === 'waiting');
	peer.script = {};
	clock.shift = 0;
	await until(allIn('sent', 1));
});

test('after a restart with the clock set back, new submissions and their mails still find numbers of their own', async () => {
	const first = await openFixture({ smtpUrl: 'smtp://127.0.0.1:1' });
	const hook = {
		id: 1,
		formId: first.form.id,
		url: 'https://hooks.example.com/',
		secret: 's',
		events: ['submission.created'],
	};
	await first.storage.batch((tx) => [tx.insert(webhooks).values(hook)]);
	for (let i = 0; i < 3; i++) await first.submit();
	await first.stop();
	const day = 24 * 3_600_000;
	const second = await openFixture({ smtpUrl: 'smtp://127.0.0.1:1', file: first.file, now: () => Date.now() - day });
	for (let i = 0; i < 3; i++) await second.submit();
	const rows = await second.rows();
	expect(rows).toHaveLength(12);
});
