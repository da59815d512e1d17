/** The list of disposable mail domains in the program, as its package has it. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDisposable } from '../../src/spam/sender/disposable-domains.ts';

const LIST = '../../node_modules/disposable-email-domains-js/dist/dict/disposable_email_blocklist.json';

test('every domain of the list is found, and nothing beside them', () => {
	const listed: string[] = JSON.parse(readFileSync(join(import.meta.dir, LIST), 'utf8'));
	const known = new Set(listed);
	expect(listed.length).toBeGreaterThan(5000);
	expect(listed.filter((domain) => !isDisposable(domain))).toEqual([]);
	const others = listed.flatMap((domain) => [`${domain}a`, `a${domain}`, domain.slice(1), domain.slice(0, -1)]);
	const asked = ['', '"', '[', ']', '0', 'zzzz.zz', '~', 'example.com', ...others];
	expect(asked.filter((domain) => isDisposable(domain) !== known.has(domain))).toEqual([]);
});
