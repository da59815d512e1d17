/** Thousands of deliveries over several kills: none is lost, and hardly any is doubled. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { createWebhookSecret } from '../../src/delivery/webhooks/standard-webhooks.ts';
import { encodeId } from '../../src/ids.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import { deliveries, forms, webhooks } from '../../src/storage/tables.ts';
import { KILLS } from '../durability/kills.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { type ScriptedSmtp, startScriptedSmtp } from './scripted-smtp.ts';

const MAILS = 100 * KILLS;
const EVENTS = 100 * KILLS;
/** Attempts in flight to one destination, see the channels' concurrency. */
const MAILS_UNDER_WAY = 4;
const EVENTS_UNDER_WAY = 2;
const TIME_LIMIT_MS = 240_000;

let peer: ScriptedSmtp;
let receiver: Bun.Server<undefined>;
const received: string[] = [];
const arrived = () => peer.accepted.length + received.length;

beforeAll(async () => {
	peer = await startScriptedSmtp();
	receiver = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch(request) {
			received.push(request.headers.get('webhook-id') ?? '');
			return new Response();
		},
	});
});
afterAll(async () => {
	await peer.close();
	await receiver.stop(true);
});

async function fill(storage: Storage): Promise<void> {
	const target = `http://127.0.0.1:${receiver.port}/`;
	const hook = { id: 2, formId: 1, url: target, secret: createWebhookSecret(), events: ['submission.created'] };
	await storage.batch((tx) => [
		tx
			.insert(forms)
			.values({ id: 1, mode: 'live', slug: 's', name: 'Contact', notificationEmail: 'owner@example.com' }),
		tx.insert(webhooks).values(hook),
	]);
	const mail = { channel: 'mail', destination: 'owner@example.com', webhookId: null } as const;
	const event = { channel: 'webhook', destination: target, webhookId: hook.id } as const;
	const stored = Array.from({ length: MAILS + EVENTS }, (_, i) => {
		const way = i < MAILS ? mail : event;
		const row = { id: storage.nextId(), formId: 1, state: 'waiting' as const, nextAttemptAt: 0, ...way };
		const rest = { names: ['n'], spamReason: null, subject: null, replyTo: null };
		return storage.submissions.append({ formId: 1, data: `{"n":${i}}`, ...rest, deliveries: [row] });
	});
	await Promise.all(stored);
}

async function startSender(file: string) {
	const sender = Bun.spawn([process.execPath, join(import.meta.dir, 'sender-process.ts'), file, peer.url], {
		stdout: 'pipe',
		stderr: 'inherit',
	});
	await sender.stdout.getReader().read();
	return sender;
}

async function countOpen({ db }: Storage): Promise<number> {
	const [row] = await db.select({ open: sql<number>`count(*)` }).from(deliveries).where(sql`state <> 'sent'`);
	return row?.open ?? 0;
}

/** How often something came beyond the first time. */
const doubles = (names: string[]) => names.length - new Set(names).size;

test(
	`${MAILS + EVENTS} mails and webhook events survive ${KILLS} kills`,
	async () => {
		const file = join(tempFolder(), 'formsrv.db');
		const storage = await openStorage(file);
		await fill(storage);
		let sender = await startSender(file);
		for (let kills = 1; kills <= KILLS; kills++) {
			const goal = Math.max(((MAILS + EVENTS) * kills) / (KILLS + 1), arrived() + 1);
			await until(() => arrived() >= goal, { everyMs: 2 });
			sender.kill('SIGKILL');
			await sender.exited;
			sender = await startSender(file);
		}
		await until(async () => (await countOpen(storage)) === 0, { withinMs: TIME_LIMIT_MS / 2 });
		sender.kill();
		await sender.exited;

		const wanted = await storage.db.select().from(deliveries);
		const mails = peer.accepted.map(({ content }) => /^Message-ID: <(.*)>\r$/m.exec(content)?.[1] ?? '');
		const expected = wanted
			.filter(({ channel }) => channel === 'mail')
			.map(({ submissionId }) => `${encodeId(Number(submissionId))}@forms.example.com`);
		expect(new Set(mails)).toEqual(new Set(expected));
		expect(doubles(mails)).toBeLessThanOrEqual(KILLS * MAILS_UNDER_WAY);
		const events = await storage.db.select().from(deliveries).where(eq(deliveries.channel, 'webhook'));
		expect(new Set(received)).toEqual(new Set(events.map(({ id }) => `msg_${encodeId(id)}`)));
		expect(doubles(received)).toBeLessThanOrEqual(KILLS * EVENTS_UNDER_WAY);
		await storage.close();
	},
	TIME_LIMIT_MS,
);
