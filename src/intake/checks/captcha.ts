/** Verifies the captcha of a submission: with the vendor, or with the built-in proof of work. */

import type { CaptchaVerifier } from '../../config.ts';
import { type AppError, spokenError } from '../../errors.ts';
import type { Captcha, CaptchaVendor } from '../../form-values/captchas.ts';
import { hostCovered } from '../../forms/allowed-domains.ts';
import { encodeId } from '../../ids.ts';
import type { Log } from '../../log/log.ts';
import { ask } from '../../network/bounded-response.ts';
import { decisive, type SpamReason } from '../../spam/verdict.ts';
import type { FormRow } from '../../storage/tables.ts';
import { MINUTE_MS } from '../../tasks/durations.ts';
import { membersIn } from '../../text/members-in.ts';
import type { Altcha } from './altcha.ts';

export interface CaptchaOptions {
	vendors: Record<CaptchaVendor, CaptchaVerifier>;
	/** reCAPTCHA v3 gives scores from 0 to 1; below this one a submission is spam. */
	recaptchaMinScore: number;
	altcha: Altcha;
	log: Pick<Log, 'warn'>;
	timeoutMs?: number;
	now?: () => number;
}

interface CaptchaCheck {
	form: Pick<FormRow, 'id' | 'captcha' | 'allowedDomains'>;
	/** The token in the field of each captcha. */
	tokens: Partial<Record<Captcha, string>>;
}

/** The common members of the vendors' responses, and reCAPTCHA's score. */
interface VendorResponse {
	success: boolean;
	hostname?: unknown;
	score?: unknown;
	'error-codes'?: unknown;
}

const TIMEOUT_MS = 3_000;
const WARN_EVERY_MS = MINUTE_MS;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** Errors of the vendor or of our settings; every other code means a bad token. */
const VENDOR_ERRORS = new Set(['missing-input-secret', 'invalid-input-secret', 'internal-error']);
/** Host names of vendors that do not know or do not say on which page a token was created. */
const UNKNOWN_HOSTS = new Set<unknown>([undefined, null, '', 'not-provided']);

/**
 * Makes the captcha check. It returns `null` for a valid token, or the reason for which the submission is spam: while a
 * vendor is unavailable, submissions are stored as spam.
 *
 * The check throws AppError CAPTCHA_REQUIRED without a token, CAPTCHA_FAILED for an invalid one.
 */
export function createCaptchaCheck(options: CaptchaOptions) {
	const { vendors, recaptchaMinScore, altcha, log, timeoutMs = TIMEOUT_MS, now = Date.now } = options;
	const warnedAt = new Map<Captcha, number>();

	function unavailable(captcha: Captcha, reason: string): SpamReason {
		if (now() - (warnedAt.get(captcha) ?? Number.NEGATIVE_INFINITY) >= WARN_EVERY_MS) {
			warnedAt.set(captcha, now());
			log.warn('captcha cannot be verified, submissions go to spam', { captcha, reason });
		}
		return decisive('captcha-unavailable', `${captcha} ${reason}`);
	}

	/** For reCAPTCHA only: other vendors' scores mean other things, and hCaptcha's grows with the risk. */
	function judgeScore({ score }: VendorResponse): SpamReason | null {
		return typeof score === 'number' && score < recaptchaMinScore ? decisive('captcha-score', `${score}`) : null;
	}

	return async ({ form, tokens }: CaptchaCheck): Promise<SpamReason | null> => {
		const { captcha, allowedDomains } = form;
		if (captcha === null) return null;
		const token = tokens[captcha] ?? '';
		if (token === '') throw spokenError('CAPTCHA_REQUIRED', ['captchaMissing']);
		if (!TOKEN.test(token)) throw failed();
		if (captcha === 'altcha') {
			if (await altcha.verify(token, encodeId(form.id))) return null;
			throw failed();
		}
		const response = await verifyWithVendor(vendors[captcha], { token, timeoutMs });
		if (typeof response === 'string') return unavailable(captcha, response);
		if (!response.success || !isFrom(response.hostname, allowedDomains)) throw failed();
		return captcha === 'recaptcha' ? judgeScore(response) : null;
	};
}

function failed(): AppError {
	return spokenError('CAPTCHA_FAILED', ['captchaFailed']);
}

/** A token from a page of another site may have been farmed there. */
function isFrom(hostname: unknown, allowedDomains: readonly string[]): boolean {
	if (allowedDomains.length === 0 || UNKNOWN_HOSTS.has(hostname)) return true;
	return typeof hostname === 'string' && hostCovered(hostname, allowedDomains);
}

/**
 * The vendor's response, or why there is none. The client's address is not sent: no vendor needs it, and behind a
 * misconfigured proxy it would be wrong.
 */
async function verifyWithVendor(
	{ secret, verifyUrl }: CaptchaVerifier,
	{ token, timeoutMs }: { token: string; timeoutMs: number },
): Promise<VendorResponse | string> {
	if (secret === null) return 'has no secret in the settings';
	try {
		const { status, text } = await ask(verifyUrl, {
			method: 'POST',
			body: new URLSearchParams({ secret, response: token }),
			headers: { Accept: 'application/json' },
			signal: AbortSignal.timeout(timeoutMs),
		});
		return status === 200 ? parseResponse(text) : `responded with ${status}`;
	} catch (error) {
		return (error as Error).name === 'TimeoutError' ? 'did not respond in time' : 'could not be reached';
	}
}

function parseResponse(text: string): VendorResponse | string {
	const response = membersIn(text) as unknown as VendorResponse;
	if (typeof response.success !== 'boolean') return 'returned an unreadable response';
	const codes: unknown[] = Array.isArray(response['error-codes']) ? response['error-codes'] : [];
	const error = codes.find((code) => VENDOR_ERRORS.has(String(code)));
	return response.success || error === undefined ? response : `responded with ${error}`;
}
