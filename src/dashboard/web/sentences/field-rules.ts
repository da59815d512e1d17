/** Sentences of the editor of field rules. */

import type { RuleMember } from '../../../field-rules/rules.ts';
import { plural } from '../../../text/plural.ts';

export const newField = 'New field';
const nameOf = (name: string) => name || 'the new field';

export const nameHint = 'As it is sent: the attribute name of the input.';
export const type = 'Type';
export const label = 'Label';
export const labelHint = 'How visitors read of it. Empty: its name.';
export const sentence = 'Sentence';
export const sentenceHint = 'What visitors read if it is at fault. Empty: ours, in their language.';
export const required = 'Required';
export const unique = 'Unique';
export const uniqueHint = 'Each value in one submission. For up to two fields.';
export const onDuplicate = 'A further submission with the value';
export const members: Record<RuleMember, { label: string; hint?: string }> = {
	minLength: { label: 'Minimum number of characters' },
	maxLength: { label: 'Maximum number of characters' },
	min: { label: 'Not less than' },
	max: { label: 'Not more than' },
	options: { label: 'Values', hint: 'One per line. Empty: any.' },
	pattern: {
		label: 'Pattern',
		hint: 'A regular expression, as HTML’s attribute of this name: the whole value must match.',
	},
};

const directions = { up: 'up', down: 'down' };
export const move = (field: string, direction: 'up' | 'down') => `Move ${nameOf(field)} ${directions[direction]}`;
export const moved = (field: string, place: number, count: number) =>
	`${field || 'The new field'} is now ${place} of ${count}.`;
export const remove = (field: string) => `Remove the rule for ${nameOf(field)}`;
export const removed = (field: string | undefined) => `The rule for ${nameOf(field ?? '')} is removed.`;
export const add = 'Add a rule';
export const suggest = 'Suggest rules from what came in';
export const suggested = (count: number, submissions: number) => {
	const found = count === 0 ? 'Nothing to propose' : `${plural(count, 'rule')} proposed`;
	return `${found}, from ${plural(submissions, 'submission')}. Nothing is saved yet.`;
};

export const summary = {
	label: (text: string) => `“${text}”`,
	required: 'required',
	unique: 'unique',
	lengths: (min: number | undefined, max: number | undefined) => `${min ?? 0} to ${max ?? 'any number of'} characters`,
	from: (min: number | string) => `from ${min}`,
	upTo: (max: number | string) => `up to ${max}`,
	oneOf: (count: number) => `one of ${count}`,
	pattern: 'with a pattern',
};
