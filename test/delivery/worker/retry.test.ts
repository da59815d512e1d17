/** A retry ends the pause of its own destination, and of no other. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { createWebhookSecret } from '../../../src/delivery/webhooks/standard-webhooks.ts';
import { encodeId } from '../../../src/ids.ts';
import { createGuardedPost } from '../../../src/network/guarded-request.ts';
import { webhooks } from '../../../src/storage/tables.ts';
import { useDeliveryFixtures } from '../fixtures.ts';

setDefaultTimeout(60_000);

const { openFixture } = useDeliveryFixtures();
/** Longer than the test. */
const PROBE_WAIT = { firstMs: 600_000, longestMs: 600_000 };

test('a retried delivery goes at once, and what waits behind the pause of another destination stays there', async () => {
	const requests: string[] = [];
	let status = 503;
	const target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch(request) {
			requests.push(new URL(request.url).pathname);
			return new Response(null, { status });
		},
	});
	const { storage, form, dispatch, start, submit, until } = await openFixture({
		form: { notificationEmail: null },
		post: createGuardedPost({ allowed: ['127.0.0.1'], timeoutMs: 2_000 }),
		timing: { leaseMs: 600, tickMs: 50, probeWait: PROBE_WAIT },
	});
	const hooks = ['a', 'b'].map((path) => ({
		id: storage.nextId(),
		formId: form.id,
		url: new URL(path, target.url).href,
		secret: createWebhookSecret(),
		events: ['submission.created'],
	}));
	await storage.batch((tx) => [tx.insert(webhooks).values(hooks)]);
	await start();
	await submit();
	await until(
		(rows) => rows.length === 2 && rows.every(({ state, attempts }) => state === 'waiting' && attempts === 1),
	);
	expect(requests.toSorted()).toEqual(['/a', '/b']);

	status = 204;
	await submit();
	const [toA] = (await until((rows) => rows.length === 4)).filter(({ webhookId }) => webhookId === hooks[0]?.id);
	await dispatch.retries.retry(encodeId(toA?.id as number));
	const isSentTo = (count: number) => (rows: { state: string }[]) =>
		rows.filter(({ state }) => state === 'sent').length >= count;
	await until(isSentTo(2));
	// One more round, in which the other would have been tried as well.
	await submit();
	const rows = await until(isSentTo(3));
	const toB = rows.filter(({ webhookId }) => webhookId === hooks[1]?.id);
	expect(toB.map(({ state, attempts }) => [state, attempts])).toEqual([
		['waiting', 1],
		['waiting', 0],
		['waiting', 0],
	]);
	expect(requests.slice(2)).toEqual(['/a', '/a', '/a']);
	await target.stop(true);
});
