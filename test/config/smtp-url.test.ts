/** The address of the mail server. */

import { expect, test } from 'bun:test';
import { parseSmtpUrl } from '../../src/config/smtp-url.ts';

test('every part is read', () => {
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

test('the name of the server is as name servers know it', () => {
	expect(parseSmtpUrl('smtp://bücher.example').host).toBe('xn--bcher-kva.example');
	expect(parseSmtpUrl('smtp://[::1]:25').host).toBe('::1');
	expect(parseSmtpUrl('smtp://mail_relay').host).toBe('mail_relay');
});

test.each([
	['http://h', 'must be like smtp://'],
	['smtp://', 'must be like smtp://'],
	['smtp://u:hunter2@h:0', 'must be like smtp://'],
	['mail.example.com:587', 'must be like smtp://'],
	['smtp://u:hunter2@h#x', 'must be like smtp://'],
	['smtp://u:hunter2@h?tls=maybe', 'must have no parameter but tls, which is one of auto, required, unverified, off'],
	['smtp://u:hunter2@h?tsl=off', 'must have no parameter but tls'],
	['smtp://u:hunter2@h?tls=off&tls=required', 'must have no parameter but tls'],
	['smtp://u:hunter2@h?tls=off&x=1', 'must have no parameter but tls'],
	['smtp://u:100%hunter2@h', 'write a % as %25'],
	['smtp://u@h', 'must have a user and a password, or neither'],
	['smtp://:hunter2@h', 'must have a user and a password, or neither'],
	['smtp://u:12/hunter2@h', 'write a / of the user or password as %2F'],
])('%s is refused without repeating it', (url, sentence) => {
	expect(() => parseSmtpUrl(url)).toThrow(sentence);
	expect(() => parseSmtpUrl(url)).not.toThrow('hunter2');
});
