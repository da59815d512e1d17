import { describe, expect, test } from 'bun:test';
import { parseUrl } from '../../src/text/web-address.ts';

describe('a web address', () => {
	const long = 'a'.repeat(1001);

	test.each([
		'https://example.com/a?b#c',
		'\0 https:\\\\example.com',
		'http:example.com',
		'https://bücher.example',
		`https://example.com/${long}`,
		`https://example.com?${long}`,
		`https://example.com#${long}`,
		`https://${'a.'.repeat(200)}example.com`,
		`mailto:${long}`,
		`data:${long}`,
		'example.com',
		'http://',
	])('is what browsers take it for: %p', (text) => {
		expect(parseUrl(text)?.href).toBe(URL.parse(text)?.href);
	});

	test.each([
		`https://${long}`,
		`https://${long}.example/path`,
		`HTTPS:\\${long}`,
		`http:${long}`,
		`\0\thtt\np://${long}`,
		`ws://${long}:80`,
		`https://${long}@example.com`,
	])('has a host of at most 1,000 characters, which is not parsed otherwise: %p', (text) => {
		expect(URL.canParse(text)).toBe(true);
		expect(parseUrl(text)).toBeNull();
	});
});
