/** Tokens for test submissions: each lets one submission pass allowed domains and captcha, as a key that may submit does. */

import { encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { createSigner } from '../../storage/server-secret.ts';

interface TestTokenOptions {
	/** Marks a token as used until it expires (milliseconds since 1970); `false` if it was used already. */
	consume: (token: string, expiresAt: number) => Promise<boolean>;
	now?: () => number;
}

const LIFETIME_MS = 2 * 60_000;
const TOKEN = /^tt_([0-9a-f]{32})\.([0-9a-z]{8,9})\.([\w-]{43})$/;

export type TestTokens = ReturnType<typeof createTestTokens>;

/** The secret and the used tokens are in the database, so that every server on it takes the token that one of them made. */
export function createTestTokens(storage: Pick<Storage, 'batch'>, { consume, now = Date.now }: TestTokenOptions) {
	const { sign, isSigned } = createSigner(storage, 'test_token_secret');
	const signedFor = (formId: number, nonce: string, expires: string) => `${encodeId(formId)}.${nonce}.${expires}`;

	return {
		/** A token for one submission to this form within two minutes. */
		async make(formId: number): Promise<{ token: string; expiresAt: string }> {
			const nonce = crypto.getRandomValues(new Uint8Array(16)).toHex();
			const at = now() + LIFETIME_MS;
			const expires = at.toString(36);
			const token = `tt_${nonce}.${expires}.${await sign(signedFor(formId, nonce, expires))}`;
			return { token, expiresAt: new Date(at).toISOString() };
		},
		/** Uses a token up; `false` unless it is one for this form that has neither been used nor expired. */
		async take(token: string, formId: number): Promise<boolean> {
			const [, nonce, expires = '', signature] = TOKEN.exec(token) ?? [];
			if (nonce === undefined || signature === undefined) return false;
			const expiresAt = Number.parseInt(expires, 36);
			// An expiry further ahead comes from a clock that was set back.
			if (expiresAt <= now() || expiresAt > now() + LIFETIME_MS) return false;
			if (!(await isSigned(signedFor(formId, nonce, expires), signature))) return false;
			return consume(`test ${nonce}`, expiresAt);
		},
	};
}

export const isTestToken = (token: string): boolean => token.startsWith('tt_');
