/** Pure: the mail address by which a member is known. */

import { isEmailAddress } from '../text/email-address.ts';

/** In lower case, because providers do not agree on cases; `undefined` unless the text is one address. */
export function memberAddress(text: string): string | undefined {
	return isEmailAddress(text) ? text.toLowerCase() : undefined;
}
