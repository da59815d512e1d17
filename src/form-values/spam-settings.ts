/** Pure: when the submissions of a form are spam, and how people write it. For browsers too. */

export interface SpamSettings {
	/** A submission with so many points is spam; `null`: points alone never make one. */
	threshold: number | null;
	/** Names of fields that people do not see, so that only robots fill them in. */
	honeypot: string[];
}

/** Settings as a client sends them: what is left out takes its default, and so does a `honeypot` of `null`. */
export interface SpamSettingsInput {
	threshold?: number | null;
	honeypot?: string | string[] | null;
}

export const DEFAULT_SPAM_SETTINGS: SpamSettings = { threshold: 5, honeypot: ['_gotcha'] };

/** In place of a threshold. */
const OFF = 'off';

/** Settings on one line: the threshold, and the honeypots, as in `5, _gotcha`. */
export function formatSpamSettings({ threshold, honeypot }: SpamSettings): string {
	return [threshold ?? OFF, ...honeypot].join(', ');
}

/** The line in reverse; a threshold that is no number is for a check to reject. */
export function parseSpamSettings(line: string): SpamSettingsInput {
	const [threshold = '', ...honeypot] = line.split(',').map((part) => part.trim());
	return {
		threshold: threshold === OFF ? null : Number(threshold || Number.NaN),
		...(honeypot.length > 0 && { honeypot: honeypot.filter(Boolean) }),
	};
}
