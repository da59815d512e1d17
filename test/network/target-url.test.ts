/** The URLs that may be given as a target. */

import { describe, expect, test } from 'bun:test';
import { readTarget } from '../../src/network/guarded-request.ts';

describe('which URLs may be given as a target', () => {
	test.each([
		'https://example.com/hook?a=b',
		'http://example.com',
		'https://example.com:8443/',
		'https://münchen.example/',
	])('%s may', (url) => {
		expect(readTarget(url)).toBeInstanceOf(URL);
	});

	test.each([
		'',
		'example.com',
		'/hook',
		'ftp://example.com/',
		'https://user@example.com/',
		'https://:pw@example.com/',
		'https://',
	])('%j may not, and a sentence says why', (url) => {
		expect(readTarget(url)).toMatch(/^The .*\.$/);
	});

	test.each([
		['http://example.com:443/', 'After http:// the port must be 80 or one above 1023.'],
		['https://example.com:80/', 'After https:// the port must be 443 or one above 1023.'],
		['https://example.com:25/', 'After https:// the port must be 443 or one above 1023.'],
	])('%s may not, and which port may is said', (url, sentence) => {
		expect(readTarget(url)).toBe(sentence);
	});
});
