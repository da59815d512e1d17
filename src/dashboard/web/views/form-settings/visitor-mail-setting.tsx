/** The settings of mails to visitors: the field with the address, and the words. */

import {
	type Autoresponder,
	type AutoresponderInput,
	VISITOR_MAIL_MAX,
} from '../../../../form-values/visitor-mails.ts';
import type { AutoresponderSetting as Kind } from '../../../../forms/kinds/visitor-mails.ts';
import { ApiError } from '../../api.ts';
import { Field, Switch } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import type { ControlProps } from './control-props.ts';

const INPUTS = {
	field: { label: words.formSettings.responseField, placeholder: 'email' },
	subject: { label: words.controls.subject, placeholder: words.formSettings.responseSubjectExample },
	delayMinutes: { label: words.formSettings.responseDelay, placeholder: '0' },
	text: { label: words.formSettings.responseText, lines: 6, placeholder: words.formSettings.responseTextExample },
} as const satisfies Record<keyof Autoresponder, object>;
type Input = keyof typeof INPUTS;
const MEMBERS = Object.keys(INPUTS) as Input[];

export type AutoresponderDraft = Record<Input, string> & { isOn: boolean };

export function autoresponderDraft(mail: Autoresponder | null): AutoresponderDraft {
	const texts = MEMBERS.map((member) => [member, `${mail?.[member] ?? ''}`]);
	return { ...(Object.fromEntries(texts) as Record<Input, string>), isOn: mail !== null };
}

export function autoresponderChange({ isOn, delayMinutes, ...texts }: AutoresponderDraft): AutoresponderInput | null {
	if (!isOn) return null;
	// The server rejects what is no number.
	const delay = /^\d*$/.test(delayMinutes.trim()) ? Number(delayMinutes) : -1;
	const entries = Object.entries(texts).map(([member, text]) => [member, text.trim() || null]);
	return { ...Object.fromEntries(entries), delayMinutes: delay };
}

export function AutoresponderSetting({
	name,
	setting,
	draft,
	error,
	disabled,
	onChange,
}: ControlProps<Kind, AutoresponderDraft>) {
	const whole = error instanceof ApiError ? error.fields[name] : undefined;
	return (
		<fieldset class="stack">
			<legend>{setting.label}</legend>
			<p class="hint">{setting.hint}</p>
			<Switch
				label={words.formSettings.sendResponse}
				isOn={draft.isOn}
				disabled={disabled}
				onChange={(isOn) => onChange({ ...draft, isOn })}
			/>
			{draft.isOn &&
				MEMBERS.map((member) => (
					<Field
						key={member}
						{...INPUTS[member]}
						maxLength={member === 'delayMinutes' ? 5 : VISITOR_MAIL_MAX[member]}
						value={draft[member]}
						error={errorOf(error, `${name}.${member}`)}
						disabled={disabled}
						onInput={(text) => onChange({ ...draft, [member]: text })}
					/>
				))}
			{whole && <p class="field-error">{whole}</p>}
		</fieldset>
	);
}
