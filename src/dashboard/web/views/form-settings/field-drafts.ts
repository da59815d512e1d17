/** Field rules as the inputs of their editor hold them. */

import {
	FIELD_TYPES,
	type FieldRule,
	type FieldType,
	labelOf,
	mayBeUnique,
	type OnDuplicate,
	type RuleMember,
} from '../../../../field-rules/rules.ts';
import * as words from '../../sentences/more-words.ts';
import { typedNumber } from './typed-number.ts';

export interface RuleDraft extends Record<Exclude<RuleMember, 'options'>, string> {
	/** Stays with the rule when it is moved. */
	id: number;
	/** As it is stored or was proposed: its texts may have blanks around them, as those of visitors do. */
	before: FieldRule;
	name: string;
	type: FieldType;
	label: string;
	message: string;
	isRequired: boolean;
	isUnique: boolean;
	onDuplicate: OnDuplicate;
	/** One on each line. */
	options: string;
}

const TEXTS = ['minLength', 'maxLength', 'min', 'max', 'pattern'] as const;

export function ruleDraft(rule: FieldRule, id: number): RuleDraft {
	const texts = Object.fromEntries(TEXTS.map((member) => [member, `${rule[member] ?? ''}`]));
	return {
		...(texts as Record<(typeof TEXTS)[number], string>),
		id,
		before: rule,
		name: rule.name,
		type: rule.type,
		label: rule.label ?? '',
		message: rule.message ?? '',
		isRequired: rule.required ?? false,
		isUnique: rule.unique ?? false,
		onDuplicate: rule.onDuplicate ?? 'refuse',
		options: (rule.options ?? []).join('\n'),
	};
}

/** With the members of its type alone. What is no number is sent as it is, for the server to say so; blanks are taken only from what was typed. */
export function ruleOf(draft: RuleDraft): FieldRule {
	const { before, name, type, label, message, isRequired, isUnique, onDuplicate, options, ...texts } = draft;
	const members: readonly RuleMember[] = FIELD_TYPES[type].members;
	const sent = TEXTS.filter((member) => members.includes(member) && texts[member] !== '');
	const values = sent.map((member) => [member, valueOfMember(member, { type, text: texts[member] })]);
	const chosen = members.includes('options') ? optionsOf(options, before.options ?? []) : [];
	return {
		name: name === before.name ? name : name.trim(),
		type,
		...(label.trim() && { label: label.trim() }),
		...(message.trim() && { message: message.trim() }),
		...(isRequired && { required: true }),
		...(isUnique && mayBeUnique(draft) && { unique: true, ...(onDuplicate !== 'refuse' && { onDuplicate }) }),
		...Object.fromEntries(values),
		...(chosen.length > 0 && { options: chosen }),
	};
}

function optionsOf(text: string, before: string[]): string[] {
	if (text === before.join('\n')) return before;
	const lines = text.split('\n').map((line) => (before.includes(line) ? line : line.trim()));
	return lines.filter(Boolean);
}

function valueOfMember(member: RuleMember, { type, text }: { type: FieldType; text: string }): string | number {
	if (member === 'pattern' || type === 'date') return text;
	return typedNumber(text) ?? '';
}

export function summaryOf(draft: RuleDraft): string {
	const rule = ruleOf(draft);
	const { minLength, maxLength, min, max, options, pattern } = rule;
	const hasLength = minLength !== undefined || maxLength !== undefined;
	return [
		labelOf(rule) !== rule.name && words.fieldRules.summary.label(labelOf(rule)),
		FIELD_TYPES[rule.type].label.toLowerCase(),
		rule.required && words.fieldRules.summary.required,
		rule.unique && words.fieldRules.summary.unique,
		hasLength && words.fieldRules.summary.lengths(minLength, maxLength),
		min !== undefined && words.fieldRules.summary.from(min),
		max !== undefined && words.fieldRules.summary.upTo(max),
		options && words.fieldRules.summary.oneOf(options.length),
		pattern !== undefined && words.fieldRules.summary.pattern,
	]
		.filter(Boolean)
		.join(' · ');
}
