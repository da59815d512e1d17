import { describe, expect, test } from 'bun:test';
import { createSessionCookie } from '../../../src/dashboard/sessions/cookie.ts';
import { checkOwnPage, pageOrigin } from '../../../src/dashboard/sessions/page-origin.ts';

const DAY_MS = 86_400_000;

describe('the cookie', () => {
	test('can be set over https by this host alone, and never read by a script', () => {
		expect(createSessionCookie('https://forms.example.com', DAY_MS).write('t')).toBe(
			'__Host-formsrv=t; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict; Secure',
		);
	});

	test('without https has the port in its name', () => {
		const cookie = createSessionCookie('http://127.0.0.1:8080', DAY_MS);
		expect(cookie.write('t')).toBe('formsrv_8080=t; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict');
		expect(cookie.clear()).toBe('formsrv_8080=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict');
		expect(createSessionCookie('http://localhost', DAY_MS).write('t')).toStartWith('formsrv_80=');
	});

	test.each([
		[null, undefined],
		['', undefined],
		['formsrv_8080=abc', 'abc'],
		['a=b; formsrv_8080=abc ;c=d', 'abc'],
		['formsrv_8081=abc', undefined],
		['formsrv_8080=', undefined],
		['formsrv_8080', undefined],
		['formsrv_8080=one; formsrv_8080=two', undefined],
		['__Host-formsrv=abc', undefined],
	])('is read from %j as %j', (header, token) => {
		expect(createSessionCookie('http://127.0.0.1:8080', DAY_MS).read(header)).toBe(token);
	});
});

const BASE = 'https://forms.example.com';

describe('where a request comes from', () => {
	test.each([
		[{ 'Sec-Fetch-Site': 'same-origin' }, 'own'],
		[{ 'Sec-Fetch-Site': 'none' }, 'own'],
		[{ 'Sec-Fetch-Site': 'same-site' }, 'foreign'],
		[{ 'Sec-Fetch-Site': 'cross-site', Origin: BASE }, 'foreign'],
		[{ Origin: BASE }, 'own'],
		[{ Origin: 'http://10.0.0.5:8080', Host: '10.0.0.5:8080' }, 'own'],
		[{ Origin: 'http://10.0.0.5:9090', Host: '10.0.0.5:8080' }, 'foreign'],
		[{ Origin: 'https://forms.example.com.evil.example' }, 'foreign'],
		[{ Origin: 'null', Host: 'null' }, 'foreign'],
		[{}, 'none'],
	])('%j: %s', (headers, origin) => {
		expect(pageOrigin(new Headers(headers as Record<string, string>), BASE)).toBe(origin as 'own');
	});

	test('a change needs the header and the dashboard’s own page, both', () => {
		const check = (method: string, headers: Record<string, string>) => () =>
			checkOwnPage(new Request(BASE, { method, headers }), BASE);
		expect(check('POST', { 'X-Formsrv-CSRF': '1', Origin: BASE })).not.toThrow();
		expect(check('GET', {})).not.toThrow();
		expect(check('POST', { Origin: BASE })).toThrow('must come from the dashboard');
		expect(check('POST', { 'X-Formsrv-CSRF': '1' })).toThrow();
		expect(check('DELETE', { 'X-Formsrv-CSRF': '1', Origin: 'https://evil.example' })).toThrow();
		expect(check('PATCH', { 'X-Formsrv-CSRF': 'yes', Origin: BASE })).toThrow();
	});
});
