/** Stands in for the address of a visitor where mails are bounded: a keyed hash of the form that all ways to write it share. */

import type { Storage } from '../../storage/contract.ts';
import { createServerSecret } from '../../storage/server-secret.ts';

export const VISITOR_SECRET = 'visitor_mail_secret';
const GMAIL = new Set(['gmail.com', 'googlemail.com']);

export type AddressKeys = ReturnType<typeof createAddressKeys>;

export function createAddressKeys(storage: Pick<Storage, 'batch'>) {
	const secret = createServerSecret(storage, VISITOR_SECRET);

	async function sign(text: string): Promise<string> {
		return new Bun.CryptoHasher('sha256', await secret()).update(text).digest('base64url');
	}

	return {
		/** @param address A valid one */
		keyOf: (address: string): Promise<string> => sign(`address ${folded(address)}`),
		/** A signature of what a link is for. */
		sign: (purpose: string): Promise<string> => sign(`link ${purpose}`),
	};
}

/** Without regard to case, without what stands behind `+`, and without the dots that Gmail does not see. */
export function folded(address: string): string {
	const at = address.lastIndexOf('@');
	const domain = URL.parse(`http://${address.slice(at + 1)}`)?.hostname ?? address.slice(at + 1).toLowerCase();
	const local = address.slice(0, at).toLowerCase();
	const box = local.replace(/(?<=.)\+.*/, '');
	return GMAIL.has(domain) ? `${box.replaceAll('.', '')}@gmail.com` : `${box}@${domain}`;
}
