/** The setting for how long submissions are kept. */

import { RETENTION_PARTS, type RetentionPart } from '../../../../form-values/retention-rules.ts';
import type { Retention } from '../../../../forms/kinds/retention.ts';
import { mapNames } from '../../../../text/map-names.ts';
import type { Form } from '../../api-types.ts';
import * as words from '../../sentences/more-words.ts';
import { formOf } from '../../state/forms.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';
import { TextFields, textsOf } from './text-fields.tsx';
import { typedNumber } from './typed-number.ts';

type Draft = Record<RetentionPart, string>;

const INPUTS = mapNames(RETENTION_PARTS, (part) => ({
	label: words.formSettings.retention[part],
	placeholder: part === 'days' ? words.formSettings.never : words.formSettings.asSubmissions,
}));

export const retention: Control<Retention, Draft> = {
	draft: (rules) => textsOf(INPUTS, rules),
	change: (draft) => mapNames(RETENTION_PARTS, (part) => typedNumber(draft[part])),
	Input: RetentionInputs,
};

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
				<TextFields inputs={INPUTS} {...{ name, draft, error, onChange }} />
			</div>
		</SettingFieldset>
	);
}
