/** Mails to visitors that wait for their moment: over restarts and kills each goes once, none before its moment, and none is lost. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { ne } from 'drizzle-orm';
import { encodeId } from '../../../src/ids.ts';
import { deliveries } from '../../../src/storage/tables.ts';
import { visitorMails } from '../../../src/storage/visitor-tables.ts';
import { MINUTE_MS } from '../../../src/tasks/durations.ts';
import { KILLS } from '../../durability/kills.ts';
import { until } from '../../until.ts';
import { messageIds, useDeliveryFixtures } from '../fixtures.ts';

setDefaultTimeout(240_000);
const { server, openFixture } = useDeliveryFixtures();

const DELAY_MINUTES = 30;
const FORM = {
	notificationEmail: null,
	captcha: 'altcha',
	autoresponder: { field: 'email', subject: 'Thank you', text: 'We have it.', delayMinutes: DELAY_MINUTES },
} as const;
/** Fewer than a form sends in an hour. */
const MAILS = 90;
const SPREAD_MS = 60;
/** See the channel's concurrency. */
const UNDER_WAY = 4;

test('one that waits goes once, at its moment, however often the server is restarted', async () => {
	const peer = await server();
	let at = Date.UTC(2026, 0, 2, 12);
	const options = { smtpUrl: peer.url, now: () => at, form: FORM };
	const first = await openFixture(options);
	await first.start();
	await first.submit({ email: 'ada@example.com' });
	await first.stop();
	async function restarted() {
		const next = await openFixture({ ...options, file: first.file });
		await next.start();
		return next;
	}
	at += DELAY_MINUTES * MINUTE_MS - 1;
	const early = await restarted();
	await Bun.sleep(300);
	expect(await early.rows()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
	await early.stop();
	at += 1;
	const due = await restarted();
	await due.until(([row]) => row?.state === 'sent');
	await due.stop();
	at += DELAY_MINUTES * MINUTE_MS;
	const late = await restarted();
	await Bun.sleep(300);
	expect(await late.rows()).toMatchObject([{ state: 'sent', attempts: 1 }]);
	expect(peer.accepted.map(({ to }) => to)).toEqual([['ada@example.com']]);
});

test(`${MAILS} that fall due during ${KILLS} kills all go, each in the one place that it has within the bounds`, async () => {
	const peer = await server();
	const { file, form, storage, rows, until: untilRows } = await openFixture({ form: FORM });
	const start = Date.now();
	for (let i = 0; i < MAILS; i++) {
		const submission = { formId: form.id, data: `{"email":"a${i}@example.com"}`, names: ['email'], spamReason: null };
		const row = {
			id: storage.nextId(),
			formId: form.id,
			channel: 'visitor' as const,
			state: 'waiting' as const,
			destination: `a${i}@example.com`,
			webhookId: null,
			nextAttemptAt: start + i * SPREAD_MS,
		};
		await storage.submissions.append({ ...submission, subject: null, replyTo: null, deliveries: [row] });
	}
	const startSender = async () => {
		const program = join(import.meta.dir, '..', 'sender-process.ts');
		const sender = Bun.spawn([process.execPath, program, file, peer.url], { stdout: 'pipe', stderr: 'inherit' });
		await sender.stdout.getReader().read();
		return sender;
	};
	let sender = await startSender();
	for (let kills = 1; kills <= KILLS; kills++) {
		const goal = Math.max((MAILS * kills) / (KILLS + 1), peer.accepted.length + 1);
		await until(() => peer.accepted.length >= goal, { withinMs: 100_000, everyMs: 2 });
		sender.kill('SIGKILL');
		await sender.exited;
		// One that three kills have interrupted would wait for a quarter of an hour.
		await storage.batch((tx) => [tx.update(deliveries).set({ attempts: 0 }).where(ne(deliveries.state, 'sent'))]);
		sender = await startSender();
	}
	await untilRows((all) => all.every(({ state }) => state !== 'waiting' && state !== 'sending'));
	sender.kill();
	await sender.exited;
	const all = await rows();
	expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['sent']));
	expect(new Set(messageIds(peer))).toEqual(new Set(all.map(({ id }) => `visitor.${encodeId(id)}@forms.example.com`)));
	// One whose end was not stored goes again, with the same id, for which receivers drop it.
	expect(peer.accepted.length - MAILS).toBeLessThanOrEqual(KILLS * UNDER_WAY);
	expect(await storage.db.select().from(visitorMails)).toHaveLength(MAILS);
});
