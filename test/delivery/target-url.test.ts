/** Which URLs may be given as a target. */

import { describe, expect, test } from 'bun:test';
import { readTarget } from '../../src/delivery/guarded-request.ts';

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
		'https://example.com:25/',
		'http://example.com:443/',
		'https://',
	])('%j may not, and a sentence says why', (url) => {
		expect(readTarget(url)).toMatch(/^The .*\.$/);
	});
});
