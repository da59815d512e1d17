import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { AltchaChallenge } from '../../../src/intake/checks/altcha.ts';
import { openTestServer, readAnswer, type TestServer } from '../../server.ts';
import { solveAltcha } from './solve-altcha.ts';

interface FormAnswer {
	id: string;
	slug: string;
	code?: string;
}
interface ListAnswer {
	submissions: { data: object; isSpam: boolean; spamReason?: string }[];
}

const SECRET = 'the-secret-of-hcaptcha';

let server: TestServer;
let vendorAnswer: () => Response = () => Response.json({ success: true });
const vendor = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => vendorAnswer() });

beforeAll(async () => {
	server = await openTestServer({
		settings: { FORMSRV_HCAPTCHA_SECRET: SECRET, FORMSRV_HCAPTCHA_VERIFY_URL: vendor.url.href },
	});
});
afterEach(() => {
	vendorAnswer = () => Response.json({ success: true });
});
afterAll(async () => {
	await server.close();
	await vendor.stop(true);
});

async function createForm(more: object = {}): Promise<FormAnswer> {
	return await server.createForm<FormAnswer>({ name: 'Contact', ...more });
}
async function list({ id }: FormAnswer, filter = 'all') {
	return (await server.call<ListAnswer>(`GET /api/forms/${id}/submissions?filter=${filter}`)).body.submissions;
}
const addresses = () => [`${server.submitUrl}/f`, `${server.baseUrl}/api/f`];
const fetchChallenge = async (slug: string, { at = `${server.submitUrl}/f`, headers = {}, method = 'GET' } = {}) =>
	readAnswer<AltchaChallenge & { code: string }>(await fetch(`${at}/${slug}/challenge`, { method, headers }));

describe('a form with a vendor’s captcha', () => {
	test('accepts a submission whose token the vendor confirms, and stores no token', async () => {
		const form = await createForm({ captcha: 'hcaptcha' });
		const { status } = await server.submit(form.slug, { a: '1', 'h-captcha-response': 'token' });
		expect(status).toBe(200);
		expect(await list(form)).toMatchObject([{ data: { a: '1' } }]);
	});

	test('rejects one without a token, and one that the vendor denies', async () => {
		const form = await createForm({ captcha: 'hcaptcha' });
		const missing = await server.submit(form.slug, { a: '1' });
		expect([missing.status, missing.body.code]).toEqual([400, 'CAPTCHA_REQUIRED']);
		vendorAnswer = () => Response.json({ success: false, 'error-codes': ['invalid-input-response'] });
		const denied = await server.submit(form.slug, { a: '1', 'h-captcha-response': 'token' });
		expect([denied.status, denied.body.code]).toEqual([400, 'CAPTCHA_FAILED']);
		expect(await list(form)).toEqual([]);
		expect(await list(form, 'spam')).toEqual([]);
	});

	test('stores submissions as spam while the vendor is down, with the reason and the usual response', async () => {
		const form = await createForm({ captcha: 'hcaptcha' });
		const before = await server.submit(form.slug, { a: '0', 'h-captcha-response': 'token' });
		vendorAnswer = () => new Response('down', { status: 503 });
		const during = await server.submit(form.slug, { a: '1', 'h-captcha-response': 'token' });
		expect([during.status, during.text]).toEqual([before.status, before.text]);
		expect(await list(form)).toMatchObject([{ data: { a: '0' } }]);
		expect(await list(form, 'spam')).toMatchObject([
			{ data: { a: '1' }, isSpam: true, spamReason: 'captcha-unavailable: hcaptcha responded with 503' },
		]);
		server.app.log.flush();
		const warnings = server.logLines.filter((line) => line.includes('captcha cannot be verified'));
		expect(warnings).toHaveLength(1);
		expect(server.logLines.join()).not.toContain(SECRET);
	});

	test('does not call the vendor for submissions that the honeypot caught', async () => {
		const form = await createForm({ captcha: 'hcaptcha' });
		const { status } = await server.submit(form.slug, { a: '1', _gotcha: 'x' });
		expect(status).toBe(200);
		expect(await list(form, 'spam')).toMatchObject([{ spamReason: 'honeypot' }]);
	});

	test('cannot be made without the server’s secret; the rejection names the setting', async () => {
		const json = { name: 'Contact', captcha: 'turnstile' };
		const { status, text } = await server.call('POST /api/forms', { json });
		expect(status).toBe(400);
		expect(text).toContain('FORMSRV_TURNSTILE_SECRET');
	});
});

describe('a form with ALTCHA', () => {
	test('gives challenges at both addresses, readable by any page, fresh each time', async () => {
		const { slug } = await createForm({ captcha: 'altcha' });
		for (const at of addresses()) {
			const { status, headers, body } = await fetchChallenge(slug, { at });
			expect(status).toBe(200);
			expect(headers.get('access-control-allow-origin')).toBe('*');
			expect(headers.get('cache-control')).toBe('no-store');
			expect(headers.get('content-type')).toStartWith('application/json');
			expect(body).toMatchObject({ algorithm: 'SHA-256', maxnumber: 100_000 });
			expect((await fetchChallenge(slug, { at })).body.challenge).not.toBe(body.challenge);
		}
	});

	test('accepts a solved challenge once, for this form only', async () => {
		const form = await createForm({ captcha: 'altcha' });
		const other = await createForm({ captcha: 'altcha' });
		const altcha = solveAltcha((await fetchChallenge(form.slug)).body);
		const elsewhere = await server.submit(other.slug, { a: '0', altcha });
		expect(elsewhere.body.code).toBe('CAPTCHA_FAILED');
		expect((await server.submit(form.slug, { a: '1', altcha })).status).toBe(200);
		const again = await server.submit(form.slug, { a: '2', altcha });
		expect([again.status, again.body.code]).toEqual([400, 'CAPTCHA_FAILED']);
		const without = await server.submit(form.slug, { a: '3' });
		expect([without.status, without.body.code]).toEqual([400, 'CAPTCHA_REQUIRED']);
		expect(await list(form)).toMatchObject([{ data: { a: '1' } }]);
	});

	test('returns the first response for a retry with the same Idempotency-Key', async () => {
		const form = await createForm({ captcha: 'altcha' });
		const altcha = solveAltcha((await fetchChallenge(form.slug)).body);
		for (const _attempt of [1, 2]) {
			const { status } = await server.submit(form.slug, { a: '1', altcha }, { 'Idempotency-Key': 'k1' });
			expect(status).toBe(200);
		}
		expect(await list(form)).toHaveLength(1);
	});
});

describe('a challenge is rejected as a submission would be', () => {
	test.each(['text/html', '*/*'])('in JSON, with Accept %s', async (accept) => {
		const { status, headers, body } = await fetchChallenge('no-such-form', { headers: { Accept: accept } });
		expect([status, body.code]).toEqual([404, 'FORM_NOT_FOUND']);
		expect(headers.get('access-control-allow-origin')).toBe('*');
	});

	test('for an inactive form', async () => {
		const { slug } = await createForm({ captcha: 'altcha', isActive: false });
		const { status, body } = await fetchChallenge(slug);
		expect([status, body.code]).toEqual([403, 'FORM_DISABLED']);
	});

	test('for a page that the form does not allow', async () => {
		const { slug } = await createForm({ captcha: 'altcha', allowedDomains: ['example.com'] });
		const denied = await fetchChallenge(slug, { headers: { Origin: 'https://evil.example' } });
		expect([denied.status, denied.body.code]).toEqual([403, 'DOMAIN_NOT_ALLOWED']);
		const allowed = await fetchChallenge(slug, { headers: { Origin: 'https://www.example.com' } });
		expect(allowed.status).toBe(200);
		expect(allowed.headers.get('access-control-allow-origin')).toBe('https://www.example.com');
	});

	test.each([null, 'hcaptcha'])('for a form whose captcha is %p', async (captcha) => {
		const { slug } = await createForm({ captcha });
		const { status, body } = await fetchChallenge(slug);
		expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
	});

	test('by another method', async () => {
		const { slug } = await createForm({ captcha: 'altcha' });
		const { status, headers } = await fetchChallenge(slug, { method: 'POST' });
		expect(status).toBe(405);
		expect(headers.get('allow')).toContain('GET');
	});

	test('too often in a minute, without a loss for submissions', async () => {
		const limited = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '2' } });
		try {
			const json = { name: 'Contact', captcha: 'altcha' };
			const { slug } = await limited.createForm<FormAnswer>(json);
			const at = `${limited.submitUrl}/f`;
			const responses = [1, 2, 3].map(() => fetchChallenge(slug, { at }));
			const statuses = (await Promise.all(responses)).map(({ status }) => status);
			expect(statuses.sort()).toEqual([200, 200, 429]);
			expect((await limited.submit(slug, { a: '1' })).body.code).toBe('CAPTCHA_REQUIRED');
		} finally {
			await limited.close();
		}
	});
});

test('the preflight of a challenge allows GET', async () => {
	const { slug } = await createForm({ captcha: 'altcha' });
	const { status, headers } = await fetchChallenge(slug, {
		method: 'OPTIONS',
		headers: { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' },
	});
	expect(status).toBe(204);
	expect(headers.get('access-control-allow-methods')).toBe('GET, OPTIONS');
});
