/** The setting for how long submissions are kept. */

import { RETENTION_PARTS, type RetentionPart, type RetentionRules } from '../../../../form-values/retention-rules.ts';
import type { Retention } from '../../../../forms/kinds/retention.ts';
import type { Form } from '../../api-types.ts';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import { formOf } from '../../state/forms.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';
import { typedNumber } from './typed-number.ts';

type Draft = Record<RetentionPart, string>;

export const retention: Control<Retention, Draft> = { draft: draftOf, change: changeOf, Input: RetentionInputs };

function draftOf(rules: RetentionRules | null): Draft {
	return { days: `${rules?.days ?? ''}`, spamDays: `${rules?.spamDays ?? ''}`, filesDays: `${rules?.filesDays ?? ''}` };
}

function changeOf(draft: Draft): Record<RetentionPart, unknown> {
	const entries = RETENTION_PARTS.map((part) => [part, typedNumber(draft[part])]);
	return Object.fromEntries(entries);
}

function nextOf(next: Form['nextDeletion']): string {
	if (next === null) return '';
	const day = new Date(next.at).toLocaleDateString(undefined, { dateStyle: 'long' });
	return words.formSettings.nextDeletion(next.count, day);
}

function RetentionInputs({ form, name, setting, draft, error, disabled, onChange }: ControlProps<Retention, Draft>) {
	const hint = `${setting.hint} ${nextOf(formOf(form)?.nextDeletion ?? null)}`;
	return (
		<SettingFieldset name={name} setting={setting} hint={hint} error={error} disabled={disabled}>
			<div class="pairs">
				{RETENTION_PARTS.map((part) => (
					<Field
						key={part}
						label={words.formSettings.retention[part]}
						value={draft[part]}
						placeholder={part === 'days' ? words.formSettings.never : words.formSettings.asSubmissions}
						error={errorOf(error, `retention.${part}`)}
						onInput={(text) => onChange({ ...draft, [part]: text })}
					/>
				))}
			</div>
		</SettingFieldset>
	);
}
