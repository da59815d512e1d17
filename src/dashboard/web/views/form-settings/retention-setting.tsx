/** The setting for how long submissions are kept. */

import { RETENTION_PARTS, type RetentionPart, type RetentionRules } from '../../../../form-values/retention-rules.ts';
import type { Retention } from '../../../../forms/kinds/retention.ts';
import type { Form } from '../../api-types.ts';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import { formOf } from '../../state/forms.ts';
import type { ControlProps } from './control-props.ts';

/** As the inputs hold it. */
export type RetentionDraft = Record<RetentionPart, string>;

export function retentionDraft(rules: RetentionRules | null): RetentionDraft {
	return { days: `${rules?.days ?? ''}`, spamDays: `${rules?.spamDays ?? ''}`, filesDays: `${rules?.filesDays ?? ''}` };
}

/** Converts a draft into the change to send; the server rejects what is no number. */
export function retentionChange(draft: RetentionDraft): Record<string, number | string | null> {
	const entries = RETENTION_PARTS.map((part) => {
		const text = draft[part].trim();
		return [part, /^\d+$/.test(text) ? Number(text) : text || null];
	});
	return Object.fromEntries(entries);
}

function nextOf(next: Form['nextDeletion']): string {
	if (next === null) return '';
	const day = new Date(next.at).toLocaleDateString(undefined, { dateStyle: 'long' });
	return words.formSettings.nextDeletion(next.count, day);
}

export function RetentionSetting({
	form,
	setting,
	draft,
	error,
	disabled,
	onChange,
}: ControlProps<Retention, RetentionDraft>) {
	return (
		<fieldset class="stack">
			<legend>{setting.label}</legend>
			<p class="hint">
				{setting.hint} {nextOf(formOf(form)?.nextDeletion ?? null)}
			</p>
			<div class="pairs">
				{RETENTION_PARTS.map((part) => (
					<Field
						key={part}
						label={words.formSettings.retention[part]}
						value={draft[part]}
						placeholder={part === 'days' ? words.formSettings.never : words.formSettings.asSubmissions}
						error={errorOf(error, `retention.${part}`)}
						disabled={disabled}
						onInput={(text) => onChange({ ...draft, [part]: text })}
					/>
				))}
			</div>
		</fieldset>
	);
}
