/** When submissions of a form are spam: the threshold, and the honeypots. */

import type { SpamSettings, SpamSettingsInput } from '../../../../form-values/spam-settings.ts';
import type { Spam } from '../../../../forms/kinds/spam.ts';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import type { ControlProps } from './control-props.ts';
import { entriesOf } from './files-setting.tsx';

/** As the inputs hold it. */
export interface SpamDraft {
	threshold: string;
	honeypot: string;
}

export function spamDraft({ threshold, honeypot }: SpamSettings): SpamDraft {
	return { threshold: `${threshold ?? ''}`, honeypot: honeypot.join(', ') };
}

/** Converts a draft into the change to send. */
export function spamChange({ threshold, honeypot }: SpamDraft): SpamSettingsInput {
	const score = threshold.trim().replace(',', '.');
	return { threshold: score === '' ? null : Number(score), honeypot: entriesOf(honeypot) };
}

export function SpamSetting({ setting, draft, error, disabled, onChange }: ControlProps<Spam, SpamDraft>) {
	const { threshold, honeypot } = draft;
	return (
		<fieldset class="stack">
			<legend class="visually-hidden">{setting.label}</legend>
			<div class="pairs">
				<Field
					label="Spam from a score of"
					hint={`${setting.hint} From 1 to 10. Empty: points alone send nothing to spam.`}
					value={threshold}
					placeholder="Off"
					error={errorOf(error, 'spam.threshold')}
					disabled={disabled}
					onInput={(text) => onChange({ ...draft, threshold: text })}
				/>
				<Field
					label="Honeypot fields"
					hint="Names of fields that your page hides from people. What fills one in is a robot, and goes to spam."
					value={honeypot}
					isMono
					error={errorOf(error, 'spam.honeypot', entriesOf(honeypot))}
					disabled={disabled}
					onInput={(text) => onChange({ ...draft, honeypot: text })}
				/>
			</div>
		</fieldset>
	);
}
