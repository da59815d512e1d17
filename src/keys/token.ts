/** The format of API keys: a prefix for the kind, 190 bits of entropy, and a checksum that catches typos. */

import type { Mode } from '../storage/tables.ts';
import { randomText } from '../text/random-text.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const TOKEN = /^(?:sk_live_|sk_test_|fk_)[0-9A-Za-z]{38}$/;

type TokenKind = Mode | 'form';

const PREFIX: Record<TokenKind, string> = { live: 'sk_live_', test: 'sk_test_', form: 'fk_' };

/** Makes a new key: prefix, 32 random base62 characters, 6 characters of checksum. */
export function createToken(kind: TokenKind): string {
	const body = PREFIX[kind] + randomText(ALPHABET, RANDOM_LENGTH);
	return body + checksum(body);
}

/** Returns whether a text has the format of a key and the right checksum; needs no look-up. */
export function isToken(text: string): boolean {
	if (!TOKEN.test(text)) return false;
	return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

const BEARER = /^bearer +([^\s,]+)\s*$/i;

/** The token of an Authorization header; `undefined` if it has another form. */
export function bearerToken(header: string): string | undefined {
	return BEARER.exec(header)?.[1];
}

/** Returns whether a token is meant to be a key or to test a form, valid or not: the tokens of others that a proxy may send look different. */
export function isMeantAsKey(token: string): boolean {
	return /^(?:sk|fk|tt)_/.test(token);
}

/** The stored hash of a key: SHA-256, hexadecimal. Sufficient for a secret of this entropy. */
export function hashToken(token: string): string {
	return new Bun.CryptoHasher('sha256').update(token).digest('hex');
}

/** The display form of a key: its prefix and last four characters. */
export function displayToken(token: string): string {
	const prefix = token.slice(0, token.lastIndexOf('_') + 1);
	return `${prefix}…${token.slice(-4)}`;
}

/** CRC-32 in base 62, as secret scanners expect it of keys with a checksum. */
function checksum(body: string): string {
	let rest = Bun.hash.crc32(body);
	let text = '';
	for (let i = 0; i < CHECKSUM_LENGTH; i++) {
		text = ALPHABET[rest % ALPHABET.length] + text;
		rest = Math.floor(rest / ALPHABET.length);
	}
	return text;
}
