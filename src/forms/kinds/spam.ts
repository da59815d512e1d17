/** The kind of the setting that says when submissions are spam; `null` stands for the defaults. */

import {
	DEFAULT_SPAM_SETTINGS,
	formatSpamSettings,
	parseSpamSettings,
	type SpamSettings,
	type SpamSettingsInput,
} from '../../form-values/spam-settings.ts';
import { SPECIAL_NAMES } from '../../form-values/special-names.ts';
import type { Check, Setting, Words } from './setting.ts';

interface SpamOptions extends Words<SpamSettings> {
	minThreshold: number;
	maxThreshold: number;
	maxHoneypots: number;
	code: string;
}

export interface Spam extends Setting<SpamSettings, SpamSettingsInput> {
	kind: 'spam';
}

const NAME = /^[^\p{Cc}\u2028\u2029]{1,64}$/u;

export function spam(options: SpamOptions): Spam {
	const { description } = options;
	return {
		...options,
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
		check: (sent, check) => checkSpam(sent, { ...check, ...options }),
		format: formatSpamSettings,
		parse: parseSpamSettings,
	};
}

function checkSpam(input: SpamSettingsInput, { name, report, ...bounds }: Check & SpamOptions): SpamSettings {
	const { threshold = DEFAULT_SPAM_SETTINGS.threshold } = input;
	const honeypot = input.honeypot ?? DEFAULT_SPAM_SETTINGS.honeypot;
	const fault = (field: string, rule: string) =>
		report(bounds.code, `${name}.${field} must be ${rule}.`, `${name}.${field}`);
	const { minThreshold, maxThreshold, maxHoneypots } = bounds;
	if (threshold !== null && !(threshold >= minThreshold && threshold <= maxThreshold)) {
		fault('threshold', `a number from ${minThreshold} to ${maxThreshold}, or null`);
	}
	const names = typeof honeypot === 'string' ? [honeypot] : honeypot;
	if (names.length > maxHoneypots) fault('honeypot', `at most ${maxHoneypots} names`);
	for (const [i, field] of names.entries()) {
		if (NAME.test(field) && !SPECIAL_NAMES.has(field)) continue;
		fault(`honeypot.${i}`, 'the name of a field of its own, with 1 to 64 characters');
	}
	return { threshold, honeypot: [...new Set(names)] };
}
