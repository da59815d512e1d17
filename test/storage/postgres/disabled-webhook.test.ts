/** A webhook that two servers on one database in PostgreSQL disable at once. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import { createWebhookChannel } from '../../../src/delivery/webhooks/channel.ts';
import { createWebhookSecret } from '../../../src/delivery/webhooks/standard-webhooks.ts';
import { createFileLinks } from '../../../src/files/links.ts';
import { auditLog } from '../../../src/storage/audit-table.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { type DeliveryRow, deliveries, forms, webhooks } from '../../../src/storage/tables.ts';
import { createByteBudget } from '../../../src/tasks/byte-budget.ts';
import { newMigratedDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

const openChannel = (storage: Storage) =>
	createWebhookChannel(storage, {
		post: async () => ({ hasResponse: true, status: 410, bodyExcerpt: '', retryAfter: undefined }),
		budget: createByteBudget(2 ** 20),
		links: createFileLinks(storage, Date.now),
		baseUrl: () => 'https://forms.example.com',
		now: Date.now,
	});

test('the audit log has it once', async () => {
	const address = await newMigratedDatabase();
	const servers = [await openStorage(address), await openStorage(address)];
	const [{ batch, db, nextId }] = servers as [Storage];
	const formId = nextId();
	const hook = { id: nextId(), formId, url: 'https://hooks.example.com/', events: ['submission.deleted'] };
	const content = JSON.stringify({ submission: { id: 'cmnrg2x8a1c' } });
	const about = { channel: 'webhook', event: 'submission.deleted', state: 'sending', content } as const;
	await batch((tx) => [
		tx.insert(forms).values({ id: formId, mode: 'live', slug: 'contact', name: 'Contact' }),
		tx.insert(webhooks).values({ ...hook, secret: createWebhookSecret() }),
		tx.insert(deliveries).values({ ...about, id: nextId(), formId, webhookId: hook.id, destination: hook.url }),
	]);
	const [row] = (await db.select().from(deliveries)) as [DeliveryRow];
	const other = postgres(address, { max: 1, fetch_types: false });
	await other.unsafe('begin');
	await other`select from webhooks for update`;
	const sent = servers.map((storage) => openChannel(storage).send(row, { signal: new AbortController().signal }));
	const waiting = () =>
		other`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
	await until(async () => (await waiting()).length >= servers.length);
	await other.unsafe('commit');
	const attempts = await Promise.all(sent);
	expect(attempts.map(({ outcome }) => outcome.kind)).toEqual(['rejected', 'rejected']);
	expect(await db.select().from(auditLog)).toHaveLength(1);
	expect(await db.select().from(webhooks)).toMatchObject([{ isActive: false }]);
	await other.end();
	for (const storage of servers) await storage.close();
}, 30_000);
