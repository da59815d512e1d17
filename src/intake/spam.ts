/** Pure: why a submission is spam, if it is. */

import type { SpecialFields } from './special-fields.ts';

export type SpamReason = 'honeypot' | `captcha-unavailable: ${string}` | `captcha-score: ${number}`;

/** A person does not see the honeypot, so whoever filled it is none. */
export function honeypotVerdict(special: SpecialFields): SpamReason | null {
	return special.honeypotFilled ? 'honeypot' : null;
}
