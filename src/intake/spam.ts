/** Pure: the reasons for which a submission is spam. */

import type { SpecialFields } from './special-fields.ts';

export type SpamReason = 'honeypot' | 'flood' | `captcha-unavailable: ${string}` | `captcha-score: ${number}`;

/** People do not see the honeypot, so only a robot fills it in. */
export function honeypotVerdict(special: SpecialFields): SpamReason | null {
	return special.honeypotFilled ? 'honeypot' : null;
}
