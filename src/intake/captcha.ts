/** Whether a sender passed the captcha of a form: asks the vendor, or checks the proof of work of the house. */

import type { Captcha, CaptchaVendor } from '../captchas.ts';
import type { CaptchaVerifier } from '../config.ts';
import { AppError } from '../errors.ts';
import { hostCovered } from '../forms/allowed-domains.ts';
import { encodeId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { FormRow } from '../storage/tables.ts';
import type { Altcha } from './altcha.ts';
import type { SpamReason } from './spam.ts';

export interface CaptchaOptions {
	vendors: Record<CaptchaVendor, CaptchaVerifier>;
	/** reCAPTCHA v3 gives scores from 0 to 1; below this one a submission is spam. */
	recaptchaMinScore: number;
	altcha: Altcha;
	log: Pick<Log, 'warn'>;
	timeoutMs?: number;
	now?: () => number;
}

export interface CaptchaCheck {
	form: Pick<FormRow, 'id' | 'captcha' | 'allowedDomains'>;
	/** What the sender's page put into the response field of each captcha. */
	tokens: Partial<Record<Captcha, string>>;
}

/** The members that the vendors' answers have in common, and reCAPTCHA's score. */
interface VendorAnswer {
	success: boolean;
	hostname?: unknown;
	score?: unknown;
	'error-codes'?: unknown;
}

const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const WARN_EVERY_MS = 60_000;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** Faults of the vendor or of our settings; every other code blames the token. */
const NOT_THE_SENDERS_FAULT = new Set(['missing-input-secret', 'invalid-input-secret', 'internal-error']);
/** What vendors answer when they do not know or do not tell on which page a token was made. */
const UNKNOWN_HOSTS = new Set<unknown>([undefined, null, '', 'not-provided']);

/**
 * Makes the check of a submission's captcha. It answers `null` if all is well, or why the submission belongs
 * into spam: a vendor that cannot be asked costs no submission, and lets none through.
 *
 * The check throws AppError CAPTCHA_REQUIRED if there is no token, CAPTCHA_FAILED if it is not a good one.
 */
export function createCaptchaCheck(options: CaptchaOptions) {
	const { vendors, recaptchaMinScore, altcha, log, timeoutMs = TIMEOUT_MS, now = Date.now } = options;
	const warnedAt = new Map<Captcha, number>();

	function unavailable(captcha: Captcha, reason: string): SpamReason {
		if (now() - (warnedAt.get(captcha) ?? Number.NEGATIVE_INFINITY) >= WARN_EVERY_MS) {
			warnedAt.set(captcha, now());
			log.warn('captcha cannot be verified, submissions go to spam', { captcha, reason });
		}
		return `captcha-unavailable: ${captcha} ${reason}`;
	}

	/** Other vendors' scores mean other things: hCaptcha's grows with the risk. */
	function judgeScore({ score }: VendorAnswer): SpamReason | null {
		return typeof score === 'number' && score < recaptchaMinScore ? `captcha-score: ${score}` : null;
	}

	return async ({ form, tokens }: CaptchaCheck): Promise<SpamReason | null> => {
		const { captcha, allowedDomains } = form;
		if (captcha === null) return null;
		const token = tokens[captcha] ?? '';
		if (token === '') throw new AppError('CAPTCHA_REQUIRED', 'Please complete the captcha.');
		if (!TOKEN.test(token)) throw failed();
		if (captcha === 'altcha') {
			if (await altcha.verify(token, encodeId(form.id))) return null;
			throw failed();
		}
		const answer = await askVendor(vendors[captcha], { token, timeoutMs });
		if (typeof answer === 'string') return unavailable(captcha, answer);
		if (!answer.success || !isFrom(answer.hostname, allowedDomains)) throw failed();
		return captcha === 'recaptcha' ? judgeScore(answer) : null;
	};
}

function failed(): AppError {
	return new AppError('CAPTCHA_FAILED', 'The captcha was not passed. Please try again.');
}

/** A token made on a page of another site may have been bought or begged there. */
function isFrom(hostname: unknown, allowedDomains: readonly string[]): boolean {
	if (allowedDomains.length === 0 || UNKNOWN_HOSTS.has(hostname)) return true;
	return typeof hostname === 'string' && hostCovered(hostname, allowedDomains);
}

/**
 * The vendor's verdict, or a few words on why there is none. The sender's address is not told: no vendor needs
 * it, and behind a proxy that was set up wrongly it would be the wrong one.
 */
async function askVendor(
	{ secret, verifyUrl }: CaptchaVerifier,
	{ token, timeoutMs }: { token: string; timeoutMs: number },
): Promise<VendorAnswer | string> {
	if (secret === null) return 'has no secret in the settings';
	try {
		const response = await fetch(verifyUrl, {
			method: 'POST',
			body: new URLSearchParams({ secret, response: token }),
			headers: { Accept: 'application/json' },
			redirect: 'manual',
			signal: AbortSignal.timeout(timeoutMs),
		});
		if (response.status !== 200) {
			await response.body?.cancel();
			return `answered ${response.status}`;
		}
		return readVerdict(await readBounded(response));
	} catch (error) {
		return (error as Error).name === 'TimeoutError' ? 'did not answer in time' : 'could not be reached';
	}
}

function readVerdict(text: string): VendorAnswer | string {
	const answer = parseJson(text) as VendorAnswer | null | undefined;
	if (typeof answer?.success !== 'boolean') return 'gave an answer that cannot be read';
	const codes: unknown[] = Array.isArray(answer['error-codes']) ? answer['error-codes'] : [];
	const fault = codes.find((code) => NOT_THE_SENDERS_FAULT.has(String(code)));
	return answer.success || fault === undefined ? answer : `answered ${fault}`;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The beginning of an answer; a longer one will not parse. */
async function readBounded(response: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of response.body ?? []) {
		chunks.push(chunk);
		size += chunk.length;
		if (size >= MAX_ANSWER_BYTES) break;
	}
	return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
}
