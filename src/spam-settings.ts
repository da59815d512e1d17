/** When the submissions of a form are spam: its threshold, and the names of its honeypots. */

export interface SpamSettings {
	/** A submission with so many points is spam; `null`: points alone never make one. */
	threshold: number | null;
	/** Names of fields that people do not see, so that only robots fill them in. */
	honeypot: string[];
}

export const DEFAULT_SPAM_SETTINGS: SpamSettings = { threshold: 5, honeypot: ['_gotcha'] };
