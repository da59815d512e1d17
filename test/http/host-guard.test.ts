/** The path of a request, which must not depend on requests before it. */

import { expect, test } from 'bun:test';
import { checkedPath } from '../../src/http/host-guard.ts';

function pathOf(url: string, host: string | undefined): string {
	try {
		return checkedPath(new Request(url, { method: 'POST', headers: host === undefined ? {} : { Host: host } }));
	} catch (error) {
		return (error as { code: string }).code;
	}
}

test('a host that only looks like that of an earlier request is rejected, since its path is another one', () => {
	const url = 'http://a.example/b/f/contact?c=d';
	const seen = ['a.example', 'a.example/b', undefined, 'a.example', 'a.example?'].map((host) => pathOf(url, host));
	expect(seen).toEqual(['/b/f/contact', 'INVALID_HOST', 'INVALID_HOST', '/b/f/contact', 'INVALID_HOST']);
});
