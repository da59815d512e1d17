/** Pure: the rules for how long submissions are kept, in days, and their text form. For browsers too. */

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

/**
 * Parses the line; a number alone is `days`. Unknown parts and wrong numbers are left to the check to reject, and so is a part that
 * is given twice: it is called what it says, as no part is.
 */
export function parseRetentionRules(line: string): RetentionRulesInput {
	const rules = new Map<string, number>();
	for (const text of line.split(',').map((part) => part.trim())) {
		const [, name = 'days', days = ''] = /^(?:([^:]*):)?\s*(.*)$/s.exec(text) ?? [];
		rules.set(rules.has(name) ? text : name, Number(days || Number.NaN));
	}
	return Object.fromEntries(rules);
}
