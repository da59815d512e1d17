/** Webhooks as standardwebhooks.com specifies them: signatures, and the meaning of responses. */

import type { PostResult } from '../../network/guarded-request.ts';
import type { PostBody } from '../../network/post-body.ts';
import type { WebhookRow } from '../../storage/tables.ts';
import { DAY_MS, HOUR_MS } from '../../tasks/durations.ts';
import { oneLine } from '../../text/one-line.ts';
import type { Outcome } from '../worker/outcome.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const GONE = 410;
/** Unauthorized, not found, wrong method, too many requests: other events would fail in the same way. */
const ABOUT_THE_TARGET: ReadonlySet<number> = new Set([401, 404, 405, 429]);
const LONGEST_RETRY_AFTER_MS = 6 * HOUR_MS;
const EXCERPT_IN_ERROR = 200;
const HASHED_AT_ONCE = 2 ** 20;

/** How long a target may fail without interruption before it is disabled. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;

type WebhookHealth = Pick<WebhookRow, 'isActive' | 'disabledReason' | 'failingSince'>;

export function createWebhookSecret(): string {
	return SECRET_PREFIX + crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64();
}

/** The secrets to sign with: for a day after a rotation also those that signed before, so that receivers can change over. */
export function signingSecrets(
	webhook: Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousSecretUntil'>,
	now: Date,
): string[] {
	const { secret, previousSecret, previousSecretUntil } = webhook;
	const isInUse = previousSecret !== null && now.getTime() < (previousSecretUntil ?? 0);
	return isInUse ? [secret, ...previousSecret.split(' ')] : [secret];
}

/**
 * The headers that identify and authenticate one attempt.
 *
 * @param message `id` is the same for every attempt of a delivery; `sentAt` is the time of this attempt
 */
export async function webhookHeaders(
	secrets: readonly string[],
	{ id, sentAt, body }: { id: string; sentAt: Date; body: PostBody },
) {
	const timestamp = Math.floor(sentAt.getTime() / 1000);
	const hashers = secrets.map((secret) => {
		const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
		return new Bun.CryptoHasher('sha256', key).update(`${id}.${timestamp}.`);
	});
	for (const chunk of body.chunks()) {
		for (let at = 0; at < chunk.length; at += HASHED_AT_ONCE) {
			// Yield to other work within a large body.
			if (at > 0) await new Promise((resolve) => setImmediate(resolve));
			for (const hasher of hashers) hasher.update(chunk.subarray(at, at + HASHED_AT_ONCE));
		}
	}
	return {
		'Content-Type': 'application/json; charset=utf-8',
		'User-Agent': 'formsrv-webhook/1',
		'Webhook-Id': id,
		'Webhook-Timestamp': String(timestamp),
		'Webhook-Signature': hashers.map((hasher) => `v1,${hasher.digest('base64')}`).join(' '),
	};
}

/** The outcome of an attempt. Only 2xx is success; a redirect is not followed, because its target was never checked. */
export function webhookOutcome(result: PostResult, now: Date): Outcome {
	if (!result.hasResponse) {
		if (result.failure === 'url') return { kind: 'rejected', error: result.message };
		if (result.failure === 'aborted') return { kind: 'unavailable', error: result.message };
		return { kind: 'retry', error: result.message, isDestinationSuspect: true };
	}
	const { status } = result;
	if (status >= 200 && status < 300) return { kind: 'sent', note: `Responded with ${status}` };
	if (isGone(result)) return { kind: 'rejected', error: 'Responded with 410: the target is gone for good.' };
	if (status >= 300 && status < 400) {
		const error = `Responded with ${status}: redirects are not followed, give the final URL.`;
		return { kind: 'retry', error, isDestinationSuspect: true };
	}
	return {
		kind: 'retry',
		error: `Responded with ${status}`,
		said: oneLine(result.bodyExcerpt, EXCERPT_IN_ERROR),
		retryAfterMs: readRetryAfter(result.retryAfter, now),
		isDestinationSuspect: ABOUT_THE_TARGET.has(status) || status >= 500,
	};
}

/**
 * A webhook's health after an attempt: 410 disables it at once, any other failure after five days.
 * @param attempt `isLasting`: this delivery is a day old as well. Of a form that is seldom used, two attempts may fail weeks apart.
 */
export function healthAfter(
	before: WebhookHealth,
	result: PostResult,
	{ now, isLasting }: { now: Date; isLasting: boolean },
): WebhookHealth {
	const outcome = webhookOutcome(result, now);
	if (outcome.kind === 'unavailable') return before;
	if (outcome.kind === 'sent') return { ...before, failingSince: null };
	// A time in the future comes from a clock that was set back.
	const failingSince = Math.min(before.failingSince ?? now.getTime(), now.getTime());
	if (isGone(result)) return disabled(failingSince, 'The target responded with 410 Gone.');
	if (now.getTime() - failingSince < DISABLE_AFTER_MS || !isLasting) return { ...before, failingSince };
	const since = new Date(failingSince).toISOString();
	return disabled(failingSince, `Every attempt failed since ${since}; the last one: ${outcome.error}`);
}

function disabled(failingSince: number, disabledReason: string): WebhookHealth {
	return { isActive: false, disabledReason, failingSince };
}

function isGone(result: PostResult): boolean {
	return result.hasResponse && result.status === GONE;
}

/** Retry-After in milliseconds, bounded; seconds, for which some send a fraction, or an HTTP date (RFC 9110 section 10.2.3). */
function readRetryAfter(header: string | undefined, now: Date): number | undefined {
	if (header === undefined) return undefined;
	const millis = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
	return Number.isNaN(millis) ? undefined : Math.min(Math.max(millis, 0), LONGEST_RETRY_AFTER_MS);
}
