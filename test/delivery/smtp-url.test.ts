/** The address of the mail server. */

import { expect, test } from 'bun:test';
import { parseSmtpUrl } from '../../src/delivery/smtp-url.ts';

test('everything has its place', () => {
	expect(parseSmtpUrl('smtp://me%40example.com:p%40ss@mail.example.com:2525')).toEqual({
		host: 'mail.example.com',
		port: 2525,
		tls: 'required',
		isCertificateChecked: true,
		login: { user: 'me@example.com', pass: 'p@ss' },
	});
});

test.each([
	['smtp://mail.example.com', 587, 'offered'],
	['smtps://mail.example.com', 465, 'implicit'],
	['smtps://u:p@mail.example.com', 465, 'implicit'],
	['smtp://u:p@mail.example.com', 587, 'required'],
	['smtp://u:p@localhost:25', 25, 'offered'],
	['smtp://u:p@[::1]:25', 25, 'offered'],
	['smtp://u:p@127.0.0.1.example.com', 587, 'required'],
	['smtp://u:p@mail.example.com?tls=off', 587, 'off'],
	['smtp://mail.example.com?tls=required', 587, 'required'],
	['smtp://mail.example.com?tls=unverified', 587, 'required'],
] as const)('%s is port %d, TLS %s', (url, port, tls) => {
	expect(parseSmtpUrl(url)).toMatchObject({ port, tls });
});

test('only tls=unverified leaves the certificate unchecked', () => {
	expect(parseSmtpUrl('smtp://h?tls=unverified').isCertificateChecked).toBe(false);
	expect(parseSmtpUrl('smtp://h?tls=off').isCertificateChecked).toBe(true);
});

test.each(['http://h', 'smtp://', 'mail.example.com:587', 'smtp://h?tls=maybe', 'smtp://u:100%@h'])(
	'%s is refused without repeating it',
	(url) => {
		expect(() => parseSmtpUrl(url)).toThrow(expect.not.stringContaining(url));
	},
);
