/** The pages that may post to a form that lists its domains. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkOrigin, hostCovered, normalizeDomain, urlCovered } from '../../src/forms/allowed-domains.ts';
import { headersFrom } from '../headers-from.ts';

describe('an entry of the list', () => {
	test.each([
		['example.com', 'example.com'],
		[' Example.COM. ', 'example.com'],
		['*.example.com', 'example.com'],
		['https://www.example.com/contact?a=b#c', 'www.example.com'],
		['https://*.example.com', 'example.com'],
		['http://example.com:8080/', 'example.com:8080'],
		['example.com:80', 'example.com:80'],
		['https://example.com:0443', 'example.com:443'],
		['example.com./x', 'example.com'],
		['bücher.example', 'xn--bcher-kva.example'],
		['localhost', 'localhost'],
		['localhost:3000', 'localhost:3000'],
		['intranet', 'intranet'],
		['my_site.example.com', 'my_site.example.com'],
		['127.0.0.1:8080', '127.0.0.1:8080'],
		['[::1]', '[::1]'],
		['http://[2001:DB8::1]:8080', '[2001:db8::1]:8080'],
	])('%j is kept as %j', (entry, kept) => {
		expect(normalizeDomain(entry)).toBe(kept);
		expect(normalizeDomain(kept)).toBe(kept);
	});

	test.each([
		'',
		'.',
		'*',
		'*.',
		'.example.com',
		'a..b',
		'a b.example.com',
		'exa\nmple.com',
		'example.com,example.org',
		'user@example.com',
		'https://user:pass@example.com',
		'ftp://example.com',
		'javascript:alert(1)',
		'//example.com',
		'example.com:',
		'example.com:0',
		'example.com:65536',
		'example.com:80:80',
		'a.*.example.com',
		'-a.example.com',
		'[::1',
		'[zz]',
		'999.999.999.999',
		`${'a'.repeat(64)}.com`,
		`${'a.'.repeat(130)}com`,
		'a'.repeat(100_000),
	])('%j names no host', (entry) => {
		expect(normalizeDomain(entry)).toBeUndefined();
	});

	test('is a host that covers itself, or is rejected', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.domain()), (entry) => {
				const kept = normalizeDomain(entry);
				return kept === undefined || (normalizeDomain(kept) === kept && urlCovered(new URL(`https://${kept}`), [kept]));
			}),
		);
	});
});

describe('a page', () => {
	const check = (origin: string | null, referer: string | null, allowedDomains: string[]) =>
		checkOrigin(headersFrom({ origin, referer }), allowedDomains);

	test.each([
		['https://example.com', ['example.com']],
		['http://example.com', ['example.com']],
		['https://EXAMPLE.com', ['example.com']],
		['https://www.example.com', ['example.com']],
		['https://a.b.example.com:8443', ['example.com']],
		['https://example.com.', ['example.com']],
		['https://example.com', ['other.org', 'example.com']],
		['https://example.com:8443', ['example.com:8443']],
		['https://example.com', ['example.com:443']],
		['http://example.com:80', ['example.com:80']],
		['https://bücher.example', ['xn--bcher-kva.example']],
		['http://localhost:5173', ['localhost']],
		['http://[::1]:8080', ['[::1]']],
		['http://[::1]:8080', ['[::1]:8080']],
	])('at %s may post to a form for %j', (origin, allowedDomains) => {
		expect(check(origin, null, allowedDomains)).toBe(true);
	});

	test.each([
		['https://example.com.evil.com', ['example.com']],
		['https://evilexample.com', ['example.com']],
		['https://example.co', ['example.com']],
		['https://com', ['example.com']],
		['https://example.com@evil.com', ['example.com']],
		['https://evil.com/example.com', ['example.com']],
		['https://evil.com#.example.com', ['example.com']],
		['https://evil.com\\.example.com', ['example.com']],
		['https://example.com:8443', ['example.com:443']],
		['http://example.com', ['example.com:443']],
		['https://example.com', ['example.com:80']],
		['https://example.com', ['example.com:8443']],
		['https://example.com', ['www.example.com']],
		['https://exаmple.com', ['example.com']],
		['https://example.com, https://evil.com', ['example.com']],
		['example.com', ['example.com']],
		['file:///example.com', ['example.com']],
		['about:blank', ['example.com']],
	])('at %s may not post to a form for %j', (origin, allowedDomains) => {
		expect(check(origin, null, allowedDomains)).toBe(false);
	});

	test('may post to a form without a list, wherever it is', () => {
		expect(check('https://evil.com', null, [])).toBe(true);
		expect(check(null, null, [])).toBe(true);
		expect(check('junk', 'junk', [])).toBe(true);
	});

	test('is identified by its Referer only if Origin is absent or null', () => {
		const good = 'https://example.com/contact?x=y';
		expect(check(null, good, ['example.com'])).toBe(true);
		expect(check('null', good, ['example.com'])).toBe(true);
		expect(check('https://evil.com', good, ['example.com'])).toBe(false);
		expect(check('junk', good, ['example.com'])).toBe(false);
		expect(check(null, 'https://evil.com/?https://example.com', ['example.com'])).toBe(false);
	});

	test('may not post without Origin and Referer', () => {
		expect(check(null, null, ['example.com'])).toBe(false);
		expect(check('null', null, ['example.com'])).toBe(false);
		expect(check('', '', ['example.com'])).toBe(false);
	});
});

test('a host of which the port is not known is covered by an entry with any', () => {
	expect(hostCovered('www.example.com', ['example.com:8443'])).toBe(true);
	expect(hostCovered('example.org', ['example.com:8443'])).toBe(false);
	expect(hostCovered('', [''])).toBe(false);
});
