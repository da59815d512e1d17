/** Pure: the rules for how long submissions are kept, in days, and their text form. For browsers too. */

import { parseNamedParts } from './named-parts.ts';

export interface RetentionRules {
	/** Submissions and spam are deleted after so many days; `null`: never. */
	days: number | null;
	/** Spam, if it goes earlier than `days`. */
	spamDays: number | null;
	/** Attached files, if they go earlier than `days`. */
	filesDays: number | null;
}

export type RetentionPart = keyof RetentionRules;
export const RETENTION_PARTS: readonly RetentionPart[] = ['days', 'spamDays', 'filesDays'];
export const RETENTION_DAYS_MAX = 3650;

/** Rules as a client sends them: what is left out or `null` is kept. */
export type RetentionRulesInput = { [Part in RetentionPart]?: number | null };

/** Rules on one line, as in `days:365,spamDays:30`. */
export function formatRetentionRules(rules: RetentionRules): string {
	return RETENTION_PARTS.filter((part) => rules[part] !== null)
		.map((part) => `${part}:${rules[part]}`)
		.join(',');
}

/** Parses the line; a number alone is `days`. */
export function parseRetentionRules(line: string): RetentionRulesInput {
	return parseNamedParts(line, (name = 'days', days) => [name, Number(days || Number.NaN)]);
}
