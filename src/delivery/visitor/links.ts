/** The links in mails to visitors: each token is signed for its purpose, and says nothing to those who read it. */

import type { AddressKeys } from './address-keys.ts';

const STOP = /^([\w-]{43})\.([\w-]{43})$/;

export type VisitorLinks = ReturnType<typeof createVisitorLinks>;

/** They are checked by signature alone, so that nothing is looked up for a token that is not ours. */
export function createVisitorLinks(keys: AddressKeys) {
	async function isSigned(purpose: string, signature: string): Promise<boolean> {
		const expected = Buffer.from(await keys.sign(purpose));
		const given = Buffer.from(signature);
		return given.length === expected.length && crypto.timingSafeEqual(given, expected);
	}

	return {
		/** It stays valid: a person may want no more mails whenever an old one is read. */
		async stopToken(address: string): Promise<string> {
			const key = await keys.keyOf(address);
			return `${key}.${await keys.sign(`stop ${key}`)}`;
		},
		/** @returns the key of the address that wants no more mails; `undefined` for a token that is not ours */
		async readStop(token: string): Promise<string | undefined> {
			const [, key, signature] = STOP.exec(token) ?? [];
			if (key === undefined || signature === undefined) return undefined;
			return (await isSigned(`stop ${key}`, signature)) ? key : undefined;
		},
	};
}
