import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { STANDARD } from '../../../src/delivery/webhooks/event.ts';
import {
	createWebhookSecret,
	DISABLE_AFTER_MS,
	healthAfter,
	signingSecrets,
	webhookHeaders,
	webhookOutcome,
} from '../../../src/delivery/webhooks/standard-webhooks.ts';
import type { PostResult } from '../../../src/network/guarded-request.ts';
import { textBody } from '../../../src/network/post-body.ts';

const NOW = new Date('2026-03-04T05:06:07.890Z');
const FORM = { id: 'f1', name: 'Contact "us"', slug: 'contact-k3v9x2qm' };
const HEALTHY = { isActive: true, disabledReason: null, failingSince: null };

const SUBMISSION = {
	createdAt: '2026-01-02T03:04:05.678Z',
	around: ['{"id":"s1","data":', ',"isRead":false}'] as [string, string],
};
const created = (data: string) => STANDARD.event('submission.created', { form: FORM, ...SUBMISSION }).join(data);
const responded = (status: number, more: { bodyExcerpt?: string; retryAfter?: string } = {}): PostResult => ({
	hasResponse: true,
	status,
	bodyExcerpt: more.bodyExcerpt ?? '',
	retryAfter: more.retryAfter,
});
const NO_RESPONSE: PostResult = { hasResponse: false, failure: 'timeout', message: 'No response within 15 seconds.' };

const settled = (now: Date) => ({ now, isLasting: true });

describe('signatures', () => {
	test('the official package accepts them for any body', async () => {
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (text) => {
				const secret = createWebhookSecret();
				const body = created(JSON.stringify({ text }));
				const headers = await webhookHeaders([secret], { id: 'msg_1', sentAt: new Date(), body: textBody(body) });
				expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
			}),
		);
	});

	test('the official package rejects another body, id, time or secret', async () => {
		const secret = createWebhookSecret();
		const body = STANDARD.facts('webhook.test', { form: FORM, at: NOW.toISOString() });
		const headers = await webhookHeaders([secret], { id: 'msg_1', sentAt: new Date(), body: textBody(body) });
		const receiver = new Webhook(secret);
		expect(() => receiver.verify(`${body} `, headers)).toThrow('No matching signature');
		expect(() => receiver.verify(body, { ...headers, 'Webhook-Id': 'msg_2' })).toThrow('No matching signature');
		const earlier = { ...headers, 'Webhook-Timestamp': String(Number(headers['Webhook-Timestamp']) - 1) };
		expect(() => receiver.verify(body, earlier)).toThrow('No matching signature');
		expect(() => new Webhook(createWebhookSecret()).verify(body, headers)).toThrow('No matching signature');
		const old = await webhookHeaders([secret], {
			id: 'msg_1',
			sentAt: new Date(Date.now() - 600_000),
			body: textBody(body),
		});
		expect(() => receiver.verify(body, old)).toThrow('too old');
	});

	test('after rotations all secrets sign for a while', async () => {
		const [secret, previous, first] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
		const webhook = { secret, previousSecret: `${previous} ${first}`, previousSecretUntil: NOW.getTime() };
		const before = signingSecrets(webhook, new Date(NOW.getTime() - 1));
		expect(before).toEqual([secret, previous, first]);
		expect(signingSecrets(webhook, NOW)).toEqual([secret]);
		expect(signingSecrets({ secret, previousSecret: null, previousSecretUntil: null }, NOW)).toEqual([secret]);
		const body = STANDARD.facts('webhook.test', { form: FORM, at: NOW.toISOString() });
		const headers = await webhookHeaders(before, { id: 'msg_1', sentAt: new Date(), body: textBody(body) });
		for (const known of before) expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body));
	});

	test('a secret is whsec_ and 32 random bytes in base64', () => {
		const secret = createWebhookSecret();
		expect(secret).toStartWith('whsec_');
		expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
		expect(createWebhookSecret()).not.toBe(secret);
	});
});

describe('the body of submission.created', () => {
	test('holds the form and the submission', () => {
		expect(JSON.parse(created('{"a":"b"}'))).toEqual({
			type: 'submission.created',
			timestamp: '2026-01-02T03:04:05.678Z',
			data: { form: FORM, submission: { id: 's1', data: { a: 'b' }, isRead: false } },
		});
	});

	test('carries the data’s text unchanged', () => {
		const data = '{"2":12345678901234567890123,"1":1e400,"__proto__":-0,"a":"\\ud800"}';
		expect(created(data)).toContain(`"data":${data},`);
	});
});

describe('the meaning of a response', () => {
	test.each([200, 201, 202, 204, 299])('%d is success', (status) => {
		expect(webhookOutcome(responded(status), NOW).kind).toBe('sent');
	});

	test.each([100, 300, 301, 302, 307, 308, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504])(
		'%d is retried',
		(status) => {
			expect(webhookOutcome(responded(status), NOW)).toMatchObject({
				kind: 'retry',
				error: expect.stringContaining(String(status)),
			});
		},
	);

	test.each([301, 307, 401, 404, 405, 429, 500, 503])('%d speaks against the target, not the event', (status) => {
		expect(webhookOutcome(responded(status), NOW)).toMatchObject({ isDestinationSuspect: true });
	});

	test.each([400, 403, 413, 422])('%d may be about the event', (status) => {
		expect(webhookOutcome(responded(status), NOW)).toMatchObject({ isDestinationSuspect: false });
	});

	test('410 is never retried', () => {
		expect(webhookOutcome(responded(410), NOW).kind).toBe('rejected');
	});

	test('a URL that cannot be requested is never retried', () => {
		const result: PostResult = { hasResponse: false, failure: 'url', message: 'The URL cannot be read.' };
		expect(webhookOutcome(result, NOW)).toEqual({ kind: 'rejected', error: 'The URL cannot be read.' });
	});

	test.each(['forbidden', 'dns', 'connection', 'tls', 'timeout', 'protocol'] as const)(
		'a failure of the kind "%s" is retried',
		(failure) => {
			expect(webhookOutcome({ hasResponse: false, failure, message: 'Why.' }, NOW)).toMatchObject({
				kind: 'retry',
				error: 'Why.',
			});
		},
	);

	test('an orderly stop costs no attempt and says nothing about the target', () => {
		const result: PostResult = { hasResponse: false, failure: 'aborted', message: 'Stopped.' };
		expect(webhookOutcome(result, NOW).kind).toBe('unavailable');
		expect(healthAfter(HEALTHY, result, settled(NOW))).toEqual(HEALTHY);
	});

	test.each<[string | undefined, number | undefined]>([
		['120', 120_000],
		['0', 0],
		['Wed, 04 Mar 2026 05:07:07 GMT', 59_110],
		['Wed, 04 Mar 2020 05:07:07 GMT', 0],
		['999999999', 6 * 3_600_000],
		['Fri, 31 Dec 9999 23:59:59 GMT', 6 * 3_600_000],
		['99999999999', 6 * 3_600_000],
		['3600.5', 3_600_500],
		['soon', undefined],
		[undefined, undefined],
	])('Retry-After %p is a wait of %p ms', (retryAfter, retryAfterMs) => {
		const outcome = webhookOutcome(responded(503, { retryAfter }), NOW);
		expect((outcome as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
	});

	test('the beginning of the response is on one line, beside the error', () => {
		const outcome = webhookOutcome(responded(500, { bodyExcerpt: `oh\r\n\u001b[31mno ${'x'.repeat(900)}` }), NOW);
		const said = expect.stringMatching(/^oh \[31mno x{1,200}$/);
		expect(outcome).toMatchObject({ error: 'Responded with 500', said });
	});
});

describe('a target’s health', () => {
	const later = (ms: number) => new Date(NOW.getTime() + ms);

	test('the first failure begins a run of failures', () => {
		expect(healthAfter(HEALTHY, NO_RESPONSE, settled(NOW))).toEqual({ ...HEALTHY, failingSince: NOW.getTime() });
	});

	test('a success ends it', () => {
		const failing = { ...HEALTHY, failingSince: NOW.getTime() };
		expect(healthAfter(failing, responded(200), settled(later(DISABLE_AFTER_MS)))).toEqual(HEALTHY);
	});

	test('five days of failures disable the target, and say why', () => {
		const failing = healthAfter(HEALTHY, NO_RESPONSE, settled(NOW));
		expect(healthAfter(failing, responded(500), settled(later(DISABLE_AFTER_MS - 1)))).toEqual(failing);
		const health = healthAfter(failing, responded(500), settled(later(DISABLE_AFTER_MS)));
		expect(health.isActive).toBe(false);
		expect(health.disabledReason).toBe(
			'Every attempt failed since 2026-03-04T05:06:07.890Z; the last one: Responded with 500',
		);
	});

	test('410 disables the target at once', () => {
		const health = healthAfter(HEALTHY, responded(410), settled(NOW));
		expect(health).toMatchObject({ isActive: false, disabledReason: 'The target responded with 410 Gone.' });
	});
});
