/** Pure: the mail address by which a member is known. */

import { isEmailAddress, withAsciiDomain } from '../text/email-address.ts';

/** In lower case and with an ASCII domain, because providers do not agree on these; `undefined` unless the text is one address. */
export function memberAddress(text: string): string | undefined {
	return isEmailAddress(text) ? withAsciiDomain(text).toLowerCase() : undefined;
}
