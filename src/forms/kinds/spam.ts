/** The kind of the setting that says when submissions are spam; `null` stands for the defaults. */

import {
	DEFAULT_SPAM_SETTINGS,
	formatSpamSettings,
	parseSpamSettings,
	type SpamSettings,
	type SpamSettingsInput,
} from '../../form-values/spam-settings.ts';
import { SPECIAL_NAMES } from '../../form-values/special-names.ts';
import { type Check, faultOf, type OfKind, type Words } from './setting.ts';

export type Spam = OfKind<'spam', SpamSettings, SpamSettingsInput>;

const THRESHOLD_MIN = 1;
const THRESHOLD_MAX = 10;
const HONEYPOTS_MAX = 5;
const NAME = /^[^\p{Cc}\u2028\u2029]{1,64}$/u;

export function spam(words: Words<SpamSettings>): Spam {
	const { description } = words;
	return {
		...words,
		kind: 'spam',
		blank: DEFAULT_SPAM_SETTINGS,
		schema({ Type }) {
			const threshold = Type.Union([Type.Number(), Type.Null()]);
			return Type.Object({ threshold, honeypot: Type.Array(Type.String()) }, { description });
		},
		inputSchema({ Type }) {
			const members = {
				threshold: Type.Union([Type.Number(), Type.Null()]),
				honeypot: Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()]),
			};
			return Type.Partial(Type.Object(members), { description, additionalProperties: false });
		},
		check: checkSpam,
		format: formatSpamSettings,
		parse: parseSpamSettings,
	};
}

function checkSpam(input: SpamSettingsInput, check: Check): SpamSettings {
	const { threshold = DEFAULT_SPAM_SETTINGS.threshold } = input;
	const honeypot = input.honeypot ?? DEFAULT_SPAM_SETTINGS.honeypot;
	const fault = faultOf(check, 'INVALID_SPAM');
	if (threshold !== null && !(threshold >= THRESHOLD_MIN && threshold <= THRESHOLD_MAX))
		fault('threshold', `must be a number from ${THRESHOLD_MIN} to ${THRESHOLD_MAX}, or null`);
	const names = typeof honeypot === 'string' ? [honeypot] : honeypot;
	if (names.length > HONEYPOTS_MAX) fault('honeypot', `must be at most ${HONEYPOTS_MAX} names`);
	for (const [i, field] of names.entries()) {
		if (NAME.test(field) && !SPECIAL_NAMES.has(field)) continue;
		fault(`honeypot.${i}`, 'must be the name of a field of its own, with 1 to 64 characters');
	}
	return { threshold, honeypot: [...new Set(names)] };
}
