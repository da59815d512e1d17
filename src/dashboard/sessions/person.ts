/** Whom a trusted proxy says that a request is from. */

import { createProxyCheck } from '../../http/client-address.ts';
import { requestInfo } from '../../http/request-info.ts';
import { memberAddress } from '../../keys/member-address.ts';

/** In place of an address, if the header names no single one: no member is called so. */
export const UNCLEAR = '';

export type PersonOf = (request: Request) => string | undefined;

/**
 * @returns a function from a request to the mail address in the header, in lower case, or {@link UNCLEAR}. `undefined` if the header is
 * missing, or the other end of the connection is no trusted proxy: whatever it sends then counts for nothing.
 */
export function createPersonOf({
	authHeader,
	trustedProxies,
}: {
	authHeader: string | null;
	trustedProxies: string;
}): PersonOf {
	if (authHeader === null) return () => undefined;
	const isTrusted = createProxyCheck(trustedProxies);
	return (request) => {
		const named = request.headers.get(authHeader);
		if (named === null || !isTrusted(requestInfo(request).peerAddress)) return undefined;
		// Two headers arrive as one, joined by a comma, which no address has.
		return memberAddress(named) ?? UNCLEAR;
	};
}

/** The sentence for a person whom a proxy or a provider knows, and this server does not: no account is ever made by itself. */
export function notAMember(email: string): string {
	return `${email} is not a member here, or not any more. Ask the operator of this server to add you.`;
}
