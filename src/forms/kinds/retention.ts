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
import { type Check, faultOf, type OfKind, type Types, type Words } from './setting.ts';

export type Retention = OfKind<'retention', RetentionRules | null, RetentionRulesInput>;

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
	return { days: Type.Integer(), spamDays: Type.Integer(), filesDays: Type.Integer() };
}

/** Rules that delete nothing become `null`. */
function checkRetention(sent: RetentionRulesInput, check: Check): RetentionRules | null | undefined {
	const rules = { days: sent.days ?? null, spamDays: sent.spamDays ?? null, filesDays: sent.filesDays ?? null };
	const fault = faultOf(check, 'INVALID_RETENTION');
	for (const part of RETENTION_PARTS) {
		const days = rules[part];
		if (days === null || (Number.isInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX)) continue;
		return fault(part, `must be a whole number of days from 1 to ${RETENTION_DAYS_MAX}`);
	}
	for (const part of ['spamDays', 'filesDays'] as const) {
		if ((rules[part] ?? 0) > (rules.days ?? RETENTION_DAYS_MAX))
			return fault(part, `must be at most days, ${rules.days}`);
	}
	return RETENTION_PARTS.every((part) => rules[part] === null) ? null : rules;
}
