/** Webhooks subscribe to events: each gets those it names, and no other. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createWebhooks } from '../../../src/delivery/webhooks/webhooks.ts';
import { encodeId } from '../../../src/ids.ts';
import { createGuardedPost } from '../../../src/network/guarded-request.ts';
import { useDeliveryFixtures } from '../fixtures.ts';

const baseUrl = () => 'https://forms.example.com';

setDefaultTimeout(60_000);

interface Body {
	type: string;
	data: { submission: { id: string; isSpam: boolean; spamReasons: unknown[] } };
}

const CREATED = 'submission.created' as const;
const SPAM = 'submission.spam' as const;
const { openFixture } = useDeliveryFixtures();
const targets: Bun.Server<undefined>[] = [];

afterEach(async () => {
	for (const target of targets.splice(0)) await target.stop(true);
});

/** A form with three webhooks: of genuine submissions by default, of spam, and of both. */
async function openThree() {
	const received: [path: string, body: Body][] = [];
	const target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			received.push([new URL(request.url).pathname, (await request.json()) as Body]);
			return new Response(null, { status: 204 });
		},
	});
	targets.push(target);
	const post = createGuardedPost({ allowed: ['127.0.0.1'] });
	const fixture = await openFixture({ form: { notificationEmail: 'owner@example.com' }, smtpUrl: null, post });
	const service = createWebhooks(fixture.storage, { post, allowed: ['127.0.0.1'], baseUrl });
	const ref = { form: encodeId(fixture.form.id) };
	const urlOf = (path: string) => new URL(path, target.url).href;
	const created = await service.create(ref, { url: urlOf('created') });
	expect(created.events).toEqual([CREATED]);
	await service.create(ref, { url: urlOf('spam'), events: [SPAM] });
	const both = await service.create(ref, { url: urlOf('both'), events: [SPAM, CREATED, SPAM] });
	expect(both.events).toEqual([SPAM, CREATED]);
	await fixture.start();
	const seen = () => received.map(([path, { type }]) => `${path} ${type}`).toSorted();
	return { ...fixture, service, ref, both, received, seen };
}

test('a genuine submission goes to those that name its event', async () => {
	const { submit, until, seen } = await openThree();
	await submit();
	await until((rows) => rows.filter(({ state }) => state === 'sent').length === 2);
	expect(seen()).toEqual([`/both ${CREATED}`, `/created ${CREATED}`]);
});

test('spam goes to those that ask for it, and once it is marked as genuine, to the others too', async () => {
	const { storage, form, dispatch, submit, until, rows, seen, received } = await openThree();
	const id = await submit({ a: 'b' }, { spamReason: 'honeypot' });
	await until((all) => all.filter(({ state }) => state === 'sent').length === 2);
	expect(seen()).toEqual([`/both ${SPAM}`, `/spam ${SPAM}`]);
	expect(received.map(([, { data }]) => [data.submission.id, data.submission.isSpam])).toEqual(
		Array(2).fill([encodeId(id), true]),
	);
	const withheld = (await rows()).filter(({ state }) => state === 'withheld');
	expect(withheld.map(({ channel, event }) => `${channel} ${event}`).toSorted()).toEqual([
		`mail ${CREATED}`,
		`webhook ${CREATED}`,
		`webhook ${CREATED}`,
	]);
	await storage.submissions.change(form.id, [id], { isSpam: false });
	await dispatch.retries.release(form.id, [id]);
	await until((all) => all.filter(({ channel, state }) => channel === 'webhook' && state === 'sent').length === 4);
	expect(seen()).toEqual([`/both ${CREATED}`, `/both ${SPAM}`, `/created ${CREATED}`, `/spam ${SPAM}`]);
});

test('an event about spam can be sent again while the submission is spam, by itself and with many', async () => {
	const { dispatch, submit, until, seen, rows } = await openThree();
	await submit({ a: 'b' }, { spamReason: 'honeypot' });
	await until((all) => all.filter(({ state }) => state === 'sent').length === 2);
	const ids = (await rows()).map(({ id }) => encodeId(id));
	expect(await dispatch.retries.retryMany({ ids })).toBe(2);
	const sent = (await until((all) => all.filter(({ state }) => state === 'sent').length === 2)).find(
		({ event, state }) => event === SPAM && state === 'sent',
	);
	await dispatch.retries.retry(encodeId(sent?.id as number));
	await until(() => seen().length === 5);
	expect(new Set(seen())).toEqual(new Set([`/both ${SPAM}`, `/spam ${SPAM}`]));
});

test('a change of the list holds from the next submission on', async () => {
	const { service, ref, both, submit, until, seen } = await openThree();
	await service.update({ ...ref, webhook: both.id }, { events: [SPAM] });
	await submit();
	await until((rows) => rows.some(({ state }) => state === 'sent'));
	expect(seen()).toEqual([`/created ${CREATED}`]);
	const reset = await service.update({ ...ref, webhook: both.id }, { events: null });
	expect(reset.events).toEqual([CREATED]);
});
