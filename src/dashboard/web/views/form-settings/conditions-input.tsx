/** Inputs for conditions on the fields of a submission. */

import type { Condition } from '../../../../form-values/conditions.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { Field, Select } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';

type Test = keyof typeof words.formSettings.tests;
const OPTIONS = Object.entries(words.formSettings.tests).map(([value, label]) => ({ value, label }));

export interface ConditionDraft {
	field: string;
	test: Test;
	text: string;
}

const NEW: ConditionDraft = { field: '', test: 'is', text: '' };

export function conditionDraft({ field, is, contains, exists }: Condition): ConditionDraft {
	if (is !== undefined) return { field, test: 'is', text: is };
	if (contains !== undefined) return { field, test: 'contains', text: contains };
	return { field, test: exists ? 'exists' : 'missing', text: '' };
}

export function conditionOf({ field, test, text }: ConditionDraft): Condition {
	if (test === 'exists' || test === 'missing') return { field, exists: test === 'exists' };
	return { field, [test]: text };
}

interface Props {
	/** The member of the setting that has them, as errors name it. */
	member: string;
	max: number;
	drafts: ConditionDraft[];
	error: unknown;
	onChange(drafts: ConditionDraft[]): void;
}

export function ConditionsInput({ member, max, drafts, error, onChange }: Props) {
	const set = (at: number, change: Partial<ConditionDraft>) =>
		onChange(drafts.with(at, { ...(drafts[at] as ConditionDraft), ...change }));
	return (
		<div class="stack">
			{drafts.map((draft, at) => (
				<div key={at} class="pairs">
					<Field
						label={words.formSettings.ifField}
						value={draft.field}
						isMono
						error={errorOf(error, `${member}.${at}`)}
						onInput={(field) => set(at, { field })}
					/>
					<Select
						label={words.formSettings.test}
						options={OPTIONS}
						value={draft.test}
						onChange={(test) => set(at, { test: test as Test })}
					/>
					{draft.test !== 'exists' && draft.test !== 'missing' && (
						<Field label={words.formSettings.testText} value={draft.text} onInput={(text) => set(at, { text })} />
					)}
					{drafts.length > 1 && (
						<div>
							<IconButton
								icon="trash"
								label={words.formSettings.removeCondition(draft.field)}
								tone="danger"
								onClick={() => onChange(drafts.toSpliced(at, 1))}
							/>
						</div>
					)}
				</div>
			))}
			{drafts.length < max && (
				<div>
					<Button
						label={words.formSettings.andIf}
						icon="plus"
						look="small"
						onClick={() => onChange([...drafts, NEW])}
					/>
				</div>
			)}
		</div>
	);
}

export const NEW_CONDITIONS: ConditionDraft[] = [NEW];
