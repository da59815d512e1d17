import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import type { CaptchaVerifier } from '../../../src/config.ts';
import { CAPTCHA_VENDORS, type Captcha, type CaptchaVendor } from '../../../src/form-values/captchas.ts';
import { type CaptchaOptions, createCaptchaCheck } from '../../../src/intake/checks/captcha.ts';
import type { SpamReason } from '../../../src/spam/verdict.ts';

const SECRET = 'the confidential secret';
const OK = { success: true, challenge_ts: '2026-03-04T05:06:07Z', hostname: 'www.example.com' };
const GOOD = () => Response.json(OK);

/** Stands in for the vendors' servers. */
let asked: { path: string; type: string | null; body: URLSearchParams }[] = [];
let response: () => Response | Promise<Response> = GOOD;
const vendor = Bun.serve({
	port: 0,
	hostname: '127.0.0.1',
	async fetch(request) {
		const body = new URLSearchParams(await request.text());
		asked.push({ path: new URL(request.url).pathname, type: request.headers.get('content-type'), body });
		return response();
	},
});

const perVendor = (of: (captcha: CaptchaVendor) => CaptchaVerifier) =>
	Object.fromEntries(CAPTCHA_VENDORS.map((captcha) => [captcha, of(captcha)])) as Record<
		CaptchaVendor,
		CaptchaVerifier
	>;

let warnings: unknown[] = [];

beforeEach(() => {
	asked = [];
	warnings = [];
	response = GOOD;
});

afterAll(() => vendor.stop(true));

function setUp(more: Partial<CaptchaOptions> = {}) {
	const at = (path: string) => ({ secret: SECRET, verifyUrl: new URL(path, vendor.url).href });
	return createCaptchaCheck({
		vendors: perVendor((captcha) => at(`/${captcha}`)),
		recaptchaMinScore: 0.5,
		altcha: {
			challenge: async () => {
				throw new Error('not asked for here');
			},
			verify: async (token, formId) => token === `solution-for-${formId}`,
		},
		log: { warn: (message, fields) => warnings.push([message, fields]) },
		timeoutMs: 200,
		...more,
	});
}

const form = (captcha: Captcha | null, allowedDomains: string[] = []) => ({
	id: 46655,
	captcha,
	allowedDomains,
});

describe.each(CAPTCHA_VENDORS)('%s', (captcha) => {
	const check = (more: { domains?: string[]; options?: Partial<CaptchaOptions> } = {}) =>
		setUp(more.options)({ form: form(captcha, more.domains), tokens: { [captcha]: 'a.Token_1-2' } });

	test('is asked once, with the secret and the token and nothing else', async () => {
		expect(await check()).toBeNull();
		expect(asked).toHaveLength(1);
		expect(asked[0]?.path).toBe(`/${captcha}`);
		expect(asked[0]?.type).toStartWith('application/x-www-form-urlencoded');
		expect(Object.fromEntries(asked[0]?.body ?? [])).toEqual({ secret: SECRET, response: 'a.Token_1-2' });
	});

	test.each<[string, Record<string, string>]>([
		['no token', {}],
		['an empty token', { [captcha]: '' }],
		['another vendor’s token', { [captcha === 'hcaptcha' ? 'turnstile' : 'hcaptcha']: 'x' }],
	])('%s is CAPTCHA_REQUIRED, without a request', async (_what, tokens) => {
		await expect(setUp()({ form: form(captcha), tokens })).rejects.toMatchObject({ code: 'CAPTCHA_REQUIRED' });
		expect(asked).toEqual([]);
	});

	test.each([' ', 'a b', 'ä', 'a\r\nb', 'x'.repeat(8193)])('the token %p fails, without a request', async (token) => {
		const verdict = setUp()({ form: form(captcha), tokens: { [captcha]: token } });
		await expect(verdict).rejects.toMatchObject({ code: 'CAPTCHA_FAILED' });
		expect(asked).toEqual([]);
	});

	test.each([
		['invalid-input-response'],
		['timeout-or-duplicate'],
		['expired-input-response'],
		['already-seen-response'],
		['sitekey-secret-mismatch'],
		['bad-request'],
		[],
	])('the verdict "%s" is CAPTCHA_FAILED', async (...codes) => {
		response = () => Response.json({ success: false, 'error-codes': codes });
		await expect(check()).rejects.toMatchObject({ code: 'CAPTCHA_FAILED' });
		expect(warnings).toEqual([]);
	});

	test.each<[string, () => Response | Promise<Response>, string]>([
		['that is silent', () => new Promise<Response>(() => {}), 'did not respond in time'],
		['with status 500', () => new Response('oops', { status: 500 }), 'responded with 500'],
		['with status 429', () => new Response('', { status: 429 }), 'responded with 429'],
		['that redirects', () => Response.redirect(new URL('/other', vendor.url).href), 'responded with 302'],
		['that talks HTML', () => new Response('<p>success</p>'), 'returned an unreadable response'],
		['that returns nothing', () => new Response(''), 'returned an unreadable response'],
		['that returns null', () => Response.json(null), 'returned an unreadable response'],
		['that returns a list', () => Response.json([OK]), 'returned an unreadable response'],
		['that is vague', () => Response.json({ success: 'true' }), 'returned an unreadable response'],
		[
			'with an endless body',
			() => new Response(`{"success":true,"padding":"${'x'.repeat(200_000)}"}`),
			'returned an unreadable response',
		],
		[
			'that does not know our secret',
			() => Response.json({ success: false, 'error-codes': ['invalid-input-secret'] }),
			'responded with invalid-input-secret',
		],
		[
			'with an internal error',
			() => Response.json({ success: false, 'error-codes': ['internal-error'] }),
			'responded with internal-error',
		],
	])('a vendor %s sends the submission to spam', async (_what, respond, reason) => {
		response = respond;
		expect(await check()).toEqual(unavailable(`${captcha} ${reason}`));
		expect(asked).toHaveLength(1);
		expect(warnings).toEqual([['captcha cannot be verified, submissions go to spam', { captcha, reason }]]);
	});

	test('an unreachable vendor sends the submission to spam', async () => {
		const gone = { secret: SECRET, verifyUrl: 'http://127.0.0.1:1/' };
		const vendors = perVendor(() => gone);
		expect(await check({ options: { vendors } })).toEqual(unavailable(`${captcha} could not be reached`));
	});

	test('a missing secret sends the submission to spam without a request', async () => {
		const none = { secret: null, verifyUrl: vendor.url.href };
		const vendors = perVendor(() => none);
		expect(await check({ options: { vendors } })).toEqual(unavailable(`${captcha} has no secret in the settings`));
		expect(asked).toEqual([]);
	});

	test('the log gets one line a minute, without the secret and the token', async () => {
		let now = 0;
		const verify = setUp({ now: () => now });
		response = () => new Response(SECRET, { status: 500 });
		for (const time of [0, 1, 59_999, 60_000]) {
			now = time;
			await verify({ form: form(captcha), tokens: { [captcha]: 'token-text' } });
		}
		expect(warnings).toHaveLength(2);
		expect(JSON.stringify(warnings)).not.toContain(SECRET);
		expect(JSON.stringify(warnings)).not.toContain('token-text');
	});

	test('a token made on a page of another site fails', async () => {
		expect(await check({ domains: ['example.com'] })).toBeNull();
		await expect(check({ domains: ['example.org'] })).rejects.toMatchObject({ code: 'CAPTCHA_FAILED' });
	});

	test.each([undefined, null, '', 'not-provided'])('the host name %p tells nothing, and passes', async (hostname) => {
		response = () => Response.json({ ...OK, hostname });
		expect(await check({ domains: ['example.com'] })).toBeNull();
	});

	test('a host name that is not a text fails', async () => {
		response = () => Response.json({ ...OK, hostname: ['example.com'] });
		await expect(check({ domains: ['example.com'] })).rejects.toMatchObject({ code: 'CAPTCHA_FAILED' });
	});
});

function unavailable(detail: string): SpamReason {
	return { rule: 'captcha-unavailable', points: 10, detail };
}

describe('reCAPTCHA’s score', () => {
	test.each<[number, string | null]>([
		[0, '0'],
		[0.49, '0.49'],
		[0.5, null],
		[0.9, null],
	])('%d gives %p', async (score, detail) => {
		response = () => Response.json({ ...OK, score, action: 'submit' });
		const verdict = detail === null ? null : { rule: 'captcha-score' as const, points: 10, detail };
		expect(await setUp()({ form: form('recaptcha'), tokens: { recaptcha: 't' } })).toEqual(verdict);
	});
});

test('a low score of hCaptcha passes: it means a low risk', async () => {
	response = () => Response.json({ ...OK, score: 0.01 });
	expect(await setUp()({ form: form('hcaptcha'), tokens: { hcaptcha: 't' } })).toBeNull();
});

describe('ALTCHA', () => {
	test('passes with a solution for this form, without a request', async () => {
		expect(await setUp()({ form: form('altcha'), tokens: { altcha: 'solution-for-zzz' } })).toBeNull();
		expect(asked).toEqual([]);
	});

	test('fails with any other', async () => {
		const verdict = setUp()({ form: form('altcha'), tokens: { altcha: 'solution-for-zzy' } });
		await expect(verdict).rejects.toMatchObject({ code: 'CAPTCHA_FAILED' });
	});

	test('is required', async () => {
		await expect(setUp()({ form: form('altcha'), tokens: {} })).rejects.toMatchObject({ code: 'CAPTCHA_REQUIRED' });
	});
});

test('a form without captcha needs no token', async () => {
	expect(await setUp()({ form: form(null), tokens: {} })).toBeNull();
	expect(asked).toEqual([]);
});
