/** The redirect target after a submission. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseRedirectUrl } from '../../src/forms/redirect-url.ts';
import { redirectTarget } from '../../src/intake/redirect-target.ts';
import { headersFrom } from '../headers-from.ts';

const OPEN = { redirectUrl: null, allowedDomains: [] };
const OWN = 'https://owner.example/done';

type Page = { origin?: string | null; referer?: string | null };

type Asked = Partial<Parameters<typeof redirectTarget>[0] & Parameters<typeof redirectTarget>[1]>;

const target = ({ origin, referer, next, strict = false, ...form }: Asked & Page) =>
	redirectTarget({ ...OPEN, ...form }, { next, strict, headers: headersFrom({ origin, referer }) });

const UNUSABLE = [
	'',
	' ',
	'thanks.html',
	'/thanks',
	'//evil.com',
	'javascript:alert(1)',
	'java\nscript:alert(1)',
	' javascript:alert(1)',
	'data:text/html,x',
	'file:///etc/passwd',
	'blob:https://example.com/1',
	'ftp://example.com/',
	'https://',
	'https://user@example.com/',
	'https://user:pass@example.com/',
	'https://exa mple.com/',
	'https://example.com:99999/',
	`https://example.com/${'x'.repeat(2048)}`,
	`https://example.com/${'你'.repeat(1000)}`,
];

describe('the target', () => {
	test('is the first of _next, redirectUrl and the thank-you page', () => {
		expect(target({ next: 'https://example.com/thanks', redirectUrl: OWN })).toBe('https://example.com/thanks');
		expect(target({ redirectUrl: OWN })).toBe(OWN);
		expect(target({})).toBeNull();
	});

	test.each([
		['https://example.com', 'https://example.com/'],
		['HTTP://EXAMPLE.com:80/a b', 'http://example.com/a%20b'],
		['https://example.com/你?é#ü', 'https://example.com/%E4%BD%A0?%C3%A9#%C3%BC'],
		['https://bücher.example/', 'https://xn--bcher-kva.example/'],
		['https://example.com/\r\nSet-Cookie: a=b', 'https://example.com/Set-Cookie:%20a=b'],
		['https://example.com/a?x=1&y=%zz', 'https://example.com/a?x=1&y=%zz'],
	])('of _next %j is %s', (next, href) => {
		expect(target({ next })).toBe(href);
	});

	test.each(UNUSABLE)('is the next best if _next is %j', (next) => {
		expect(target({ next })).toBeNull();
		expect(target({ next, redirectUrl: OWN })).toBe(OWN);
	});

	test('of a relative _next lies at the Origin, else at the Referer', () => {
		const page = { origin: 'https://site.example', referer: 'https://other.example/a/form.html' };
		expect(target({ ...page, next: '/thanks' })).toBe('https://site.example/thanks');
		expect(target({ ...page, next: 'thanks', origin: 'null' })).toBe('https://other.example/a/thanks');
		expect(target({ ...page, next: '?ok', origin: null })).toBe('https://other.example/a/form.html?ok');
		expect(target({ next: '/thanks', origin: 'junk', redirectUrl: OWN })).toBe(OWN);
		expect(target({ next: '/thanks', origin: 'file:///x' })).toBeNull();
	});

	const restricted = { allowedDomains: ['example.com', 'port.example:8443'], redirectUrl: OWN };
	test.each([
		'https://example.com/thanks',
		'https://www.example.com/thanks',
		'https://port.example:8443/',
		'https://owner.example/elsewhere',
	])('of a form with domains may be %s', (next) => {
		expect(target({ ...restricted, next })).toBe(next);
		expect(target({ ...restricted, next, strict: true })).toBe(next);
	});

	test.each([
		'https://evil.com/',
		'https://example.com.evil.com/',
		'https://evil.com\\@example.com/',
		'https://port.example/',
		'//evil.com/',
		'\\\\evil.com/',
		'/\\evil.com/',
		'/\t/evil.com/',
	])('of a form with domains may not be %j', (next) => {
		const origin = 'https://example.com';
		expect(target({ ...restricted, origin, next })).toBe(OWN);
		expect(target({ ...restricted, origin, next, redirectUrl: null })).toBeNull();
	});

	test('must be covered on every form with strict redirects', () => {
		const strict = { strict: true, next: 'https://example.com/', origin: 'https://example.com' };
		expect(target(strict)).toBeNull();
		expect(target({ ...strict, redirectUrl: OWN })).toBe(OWN);
		expect(target({ ...strict, redirectUrl: 'https://example.com/done' })).toBe('https://example.com/');
		expect(target({ ...strict, allowedDomains: ['example.com'] })).toBe('https://example.com/');
	});

	test('is an http URL of visible ASCII or none, for every _next', () => {
		const text = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.constantFrom(...UNUSABLE));
		const maybe = fc.option(text);
		fc.assert(
			fc.property(text, maybe, maybe, maybe, (next, redirectUrl, origin, referer) => {
				const href = target({ next, redirectUrl, origin, referer });
				return href === null || /^https?:\/\/[\x21-\x7e]+$/.test(href);
			}),
		);
	});
});

describe('a redirectUrl', () => {
	test.each(['https://example.com', 'http://localhost:3000/a?b#c', 'https://bücher.example/é'])('may be %s', (text) => {
		expect(parseRedirectUrl(text)).not.toBeNull();
	});

	test.each(UNUSABLE)('may not be %j', (text) => {
		expect(parseRedirectUrl(text)).toBeNull();
	});
});
