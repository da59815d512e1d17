/** The kind of the setting that says how long submissions are kept; `null` stands for ever. */

import {
	formatRetentionRules,
	parseRetentionRules,
	RETENTION_DAYS_MAX,
	RETENTION_PARTS,
	type RetentionRules,
	type RetentionRulesInput,
} from '../../form-values/retention-rules.ts';
import { partialObject } from './partial.ts';
import type { Check, Setting, Types, Words } from './setting.ts';

export interface Retention extends Setting<RetentionRules | null, RetentionRulesInput> {
	kind: 'retention';
}

export function retention(words: Words<RetentionRules | null>): Retention {
	const { description } = words;
	return {
		...words,
		kind: 'retention',
		blank: null,
		schema: ({ Type, nullable }) => {
			const members = RETENTION_PARTS.map((part) => [part, nullable(Type.Integer())]);
			return Type.Object(Object.fromEntries(members), { description });
		},
		inputSchema: (types) => partialObject(types, membersOf(types), description),
		check: checkRetention,
		format: formatRetentionRules,
		parse: parseRetentionRules,
	};
}

function membersOf({ Type }: Types) {
	return { days: Type.Number(), spamDays: Type.Number(), filesDays: Type.Number() };
}

/** Rules that delete nothing become `null`. */
function checkRetention(sent: RetentionRulesInput, { name, report }: Check): RetentionRules | null | undefined {
	const rules = { days: sent.days ?? null, spamDays: sent.spamDays ?? null, filesDays: sent.filesDays ?? null };
	const fault = (part: string, rule: string) =>
		report('INVALID_RETENTION', `${name}.${part} must be ${rule}.`, `${name}.${part}`);
	for (const part of RETENTION_PARTS) {
		const days = rules[part];
		if (days === null || (Number.isInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX)) continue;
		return fault(part, `a whole number of days from 1 to ${RETENTION_DAYS_MAX}`);
	}
	for (const part of ['spamDays', 'filesDays'] as const) {
		if ((rules[part] ?? 0) > (rules.days ?? RETENTION_DAYS_MAX)) return fault(part, `at most days, ${rules.days}`);
	}
	return RETENTION_PARTS.every((part) => rules[part] === null) ? null : rules;
}
