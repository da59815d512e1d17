/** When submissions of a form are spam: the threshold, and the honeypots. */

import type { SpamSettings } from '../../../../form-values/spam-settings.ts';
import type { Spam } from '../../../../forms/kinds/spam.ts';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import type { Control, ControlProps } from './control.ts';
import { typedNumber } from './typed-number.ts';

interface Draft {
	threshold: string;
	/** One name on each line. */
	honeypot: string;
}

export const spam: Control<Spam, Draft> = { draft: draftOf, change: changeOf, Input: SpamInputs };

function draftOf({ threshold, honeypot }: SpamSettings): Draft {
	return { threshold: `${threshold ?? ''}`, honeypot: honeypot.join('\n') };
}

function namesOf(text: string): string[] {
	const lines = text.split('\n').map((line) => line.trim());
	return lines.filter(Boolean);
}

function changeOf({ threshold, honeypot }: Draft): Record<keyof SpamSettings, unknown> {
	return { threshold: typedNumber(threshold.replace(',', '.')), honeypot: namesOf(honeypot) };
}

function SpamInputs({ setting, draft, error, disabled, onChange }: ControlProps<Spam, Draft>) {
	const { threshold, honeypot } = draft;
	return (
		<fieldset class="stack" disabled={disabled}>
			<legend class="visually-hidden">{setting.label}</legend>
			<div class="pairs">
				<Field
					label={words.formSettings.spamFrom}
					hint={words.formSettings.spamFromHint(setting.hint)}
					value={threshold}
					placeholder={words.formSettings.off}
					error={errorOf(error, 'spam.threshold')}
					onInput={(text) => onChange({ ...draft, threshold: text })}
				/>
				<Field
					label={words.formSettings.honeypots}
					hint={words.formSettings.honeypotsHint}
					lines={2}
					value={honeypot}
					isMono
					error={errorOf(error, 'spam.honeypot', namesOf(honeypot))}
					onInput={(text) => onChange({ ...draft, honeypot: text })}
				/>
			</div>
		</fieldset>
	);
}
