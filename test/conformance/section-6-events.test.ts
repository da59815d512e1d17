/** Section 6 of the interface: it names no events, so nothing leaves the server unless its owner asked for it. */

import { expect, test } from 'bun:test';
import { deliveries } from '../../src/storage/tables.ts';
import { openTestServer } from '../server.ts';
import type { FormBody } from './wire.ts';

test('a form without notification address and webhooks sends nothing', async () => {
	const server = await openTestServer();
	const form = await server.createForm<FormBody>({ name: 'Quiet' });
	const { status } = await server.submit(form.slug, { email: 'ann@example.com', _replyto: 'ann@example.com' });
	expect(status).toBe(200);
	expect(await server.app.storage.db.select().from(deliveries)).toEqual([]);
	await server.close();
});
