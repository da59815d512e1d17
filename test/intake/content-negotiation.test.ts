import { expect, test } from 'bun:test';
import { prefersJson } from '../../src/intake/content-negotiation.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test.each([
	'application/json',
	'APPLICATION/JSON',
	'application/json;charset=utf-8',
	'application/json, text/plain, */*',
	'application/json;q=0.1, */*',
	'application/*',
	'application/vnd.api+json;q=0.3',
	'text/html;q=0.5, application/json;q=0.5',
	'text/html;Q=0.1, application/json;q=0.2',
	', application/json ; q=0.5,,',
])('%s asks for JSON', (accept) => {
	expect(prefersJson(new Headers({ Accept: accept }))).toBe(true);
});

test.each([
	BROWSER,
	'*/*',
	'',
	'text/json',
	'application/jsonp',
	'application/json;q=0',
	'application/json;q=2',
	'application/json;q=high',
	'text/html;q=0.5, application/json;q=0.4',
	'application/json;version=1;q=0.2, text/html;q=0.3',
])('%s does not ask for JSON', (accept) => {
	expect(prefersJson(new Headers({ Accept: accept }))).toBe(false);
});

test('a request that a script made prefers JSON, with every Accept header', () => {
	expect(prefersJson(new Headers({ Accept: BROWSER, 'X-Requested-With': 'xmlhttprequest' }))).toBe(true);
	expect(prefersJson(new Headers({ 'X-Requested-With': 'com.android.browser' }))).toBe(false);
	expect(prefersJson(new Headers({ Accept: BROWSER, 'Formspree-Client': '@formspree/core@4.0.0' }))).toBe(true);
	expect(prefersJson(new Headers())).toBe(false);
});
