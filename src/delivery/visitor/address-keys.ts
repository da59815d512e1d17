/** Stands in for the address of a visitor where mails are bounded: a keyed hash of the form that all ways to write it share. */

import type { Storage } from '../../storage/contract.ts';
import { createSigner } from '../../storage/server-secret.ts';
import { VISITOR_SECRET } from '../../storage/server-values.ts';

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

export type AddressKeys = ReturnType<typeof createAddressKeys>;

export function createAddressKeys(storage: Pick<Storage, 'batch'>) {
	const { sign, isSigned } = createSigner(storage, VISITOR_SECRET);

	return {
		/** @param address A valid one */
		keyOf: (address: string): Promise<string> => sign(`address ${folded(address)}`),
		/** A signature of what a link is for. */
		sign: (purpose: string): Promise<string> => sign(`link ${purpose}`),
		isSigned: (purpose: string, signature: string): Promise<boolean> => isSigned(`link ${purpose}`, signature),
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
