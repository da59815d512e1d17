/** A mail server that is unavailable, and one that recovers: no attempt is counted, no mail is lost. */

import { expect, test } from 'bun:test';
import { allIn, messageIds, useDeliveryFixtures } from '../fixtures.ts';
import { type Stage, startScriptedSmtp } from '../scripted-smtp.ts';

const { openFixture, server } = useDeliveryFixtures();

const OUTAGES: [Stage, string][] = [
	['greeting', 'drop'],
	['greeting', '554 go away'],
	['EHLO', 'drop'],
	['AUTH', '535 wrong password'],
	['MAIL', '550 sender refused'],
	['MAIL', '451 later'],
];

test.each(OUTAGES)(
	'an unavailable server (%s: %s) costs no attempts, is probed singly, and gets every mail in the end',
	async (stage, behaviour) => {
		const peer = await server({ [stage]: behaviour });
		const { submit, start, until, dispatch } = await openFixture({
			smtpUrl: peer.url.replace('//', '//robot:secret@'),
		});
		await start();
		for (let i = 0; i < 20; i++) await submit();
		await until((rows) => rows.some(({ lastError }) => lastError !== null));
		await Bun.sleep(400);
		// One attempt, then probes after 120, 240 and 240 ms: whatever the number of messages.
		expect(peer.connections.length).toBeLessThanOrEqual(4);
		const { mail } = await dispatch.deliveries.list({}, { readQuery: () => ({ limit: 1, offset: 0 }) });
		expect(mail).toMatchObject({ isSet: true, heldReason: expect.any(String), nextProbeAt: expect.any(String) });
		peer.script = {};
		const rows = await until(allIn('sent', 20));
		expect(rows.every(({ attempts }) => attempts === 1)).toBe(true);
		expect(new Set(messageIds(peer)).size).toBe(20);
		expect(peer.accepted).toHaveLength(20);
		expect(
			(await dispatch.deliveries.list({}, { readQuery: () => ({ limit: 1, offset: 0 }) })).mail.heldSince,
		).toBeNull();
	},
);

test('a server that is down gets everything once it is up', async () => {
	const peer = await startScriptedSmtp();
	await peer.close();
	const { submit, start, until } = await openFixture({ smtpUrl: peer.url });
	await start();
	for (let i = 0; i < 5; i++) await submit();
	await until((rows) => rows.some(({ lastError }) => lastError?.includes('refused') === true));
	const revived = await server({}, peer.port);
	await until(allIn('sent', 5));
	expect(new Set(messageIds(revived)).size).toBe(5);
});

test('a server that drops every connection in the middle is probed singly as well', async () => {
	const peer = await server({ content: 'drop' });
	const { submit, start, until, dispatch } = await openFixture({ smtpUrl: peer.url });
	await start();
	for (let i = 0; i < 20; i++) await submit();
	await until((rows) => rows.some(({ lastError }) => lastError !== null));
	await Bun.sleep(400);
	expect(peer.connections.length).toBeLessThanOrEqual(4);
	peer.script = {};
	// One that is on its way fails after this, and would wait for its next attempt.
	await until((rows) => rows.every(({ state }) => state !== 'sending'));
	await dispatch.retries.retryMany({ state: 'waiting' });
	await until(allIn('sent', 20));
});
