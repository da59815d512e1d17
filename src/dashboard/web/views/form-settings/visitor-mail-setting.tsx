/** The settings of mails to visitors: the field with the address, and the words. */

import {
	type Autoresponder,
	type AutoresponderInput,
	type ConfirmationInput,
	type ConfirmationMail,
	VISITOR_MAIL_MAX,
} from '../../../../form-values/visitor-mails.ts';
import type { Setting } from '../../../../forms/kinds/setting.ts';
import type {
	AutoresponderSetting as AutoresponderKind,
	ConfirmationSetting,
} from '../../../../forms/kinds/visitor-mails.ts';
import { ApiError } from '../../api.ts';
import { Field, Switch } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import type { ControlProps } from './control-props.ts';

const FIELD = { label: words.formSettings.responseField, placeholder: 'email' };
const RESPONSE_INPUTS = {
	field: FIELD,
	subject: { label: words.controls.subject, placeholder: words.formSettings.responseSubjectExample },
	delayMinutes: { label: words.formSettings.responseDelay, placeholder: '0' },
	text: { label: words.formSettings.responseText, lines: 6, placeholder: words.formSettings.responseTextExample },
} as const satisfies Record<keyof Autoresponder, object>;
const CONFIRMATION_INPUTS = {
	field: FIELD,
	subject: { label: words.controls.subject, placeholder: words.formSettings.confirmSubjectExample },
	text: { label: words.formSettings.responseText, lines: 6, placeholder: words.formSettings.confirmTextExample },
} as const satisfies Record<keyof ConfirmationMail, object>;

type Member = keyof Autoresponder;
type Inputs = Partial<Record<Member, { label: string; placeholder: string; lines?: number }>>;
type Draft<Of extends Member> = Record<Of, string> & { isOn: boolean };

export type AutoresponderDraft = Draft<keyof Autoresponder>;
export type ConfirmationDraft = Draft<keyof ConfirmationMail>;

const membersOf = (inputs: Inputs) => Object.keys(inputs) as Member[];

function draftOf(inputs: Inputs, mail: Partial<Autoresponder> | null) {
	const texts = membersOf(inputs).map((member) => [member, `${mail?.[member] ?? ''}`]);
	return { ...Object.fromEntries(texts), isOn: mail !== null };
}

const trimmed = (texts: Record<string, string>) =>
	Object.fromEntries(Object.entries(texts).map(([member, text]) => [member, text.trim() || null]));

export function autoresponderDraft(mail: Autoresponder | null): AutoresponderDraft {
	return draftOf(RESPONSE_INPUTS, mail) as AutoresponderDraft;
}

export function autoresponderChange({ isOn, delayMinutes, ...texts }: AutoresponderDraft): AutoresponderInput | null {
	if (!isOn) return null;
	// The server rejects what is no number.
	const delay = /^\d*$/.test(delayMinutes.trim()) ? Number(delayMinutes) : -1;
	return { ...trimmed(texts), delayMinutes: delay };
}

export function confirmationDraft(mail: ConfirmationMail | null): ConfirmationDraft {
	return draftOf(CONFIRMATION_INPUTS, mail) as ConfirmationDraft;
}

export const confirmationChange = ({ isOn, ...texts }: ConfirmationDraft): ConfirmationInput | null =>
	isOn ? trimmed(texts) : null;

export const AutoresponderSetting = (props: ControlProps<AutoresponderKind, AutoresponderDraft>) => (
	<MailSetting {...props} inputs={RESPONSE_INPUTS} switchLabel={words.formSettings.sendResponse} />
);

export const ConfirmationMailSetting = (props: ControlProps<ConfirmationSetting, ConfirmationDraft>) => (
	<MailSetting {...props} inputs={CONFIRMATION_INPUTS} switchLabel={words.formSettings.askToConfirm} />
);

type MailProps<Kind extends Setting<unknown>, Of extends Member> = ControlProps<Kind, Draft<Of>> & {
	inputs: Inputs;
	switchLabel: string;
};

function MailSetting<Kind extends Setting<unknown>, Of extends Member>({
	name,
	setting,
	draft,
	error,
	disabled,
	onChange,
	inputs,
	switchLabel,
}: MailProps<Kind, Of>) {
	const whole = error instanceof ApiError ? error.fields[name] : undefined;
	const texts = draft as Record<string, string>;
	return (
		<fieldset class="stack">
			<legend>{setting.label}</legend>
			<p class="hint">{setting.hint}</p>
			<Switch
				label={switchLabel}
				isOn={draft.isOn}
				disabled={disabled}
				onChange={(isOn) => onChange({ ...draft, isOn })}
			/>
			{draft.isOn &&
				Object.entries(inputs).map(([member, input]) => (
					<Field
						key={member}
						{...input}
						maxLength={member === 'delayMinutes' ? 5 : VISITOR_MAIL_MAX[member as Member]}
						value={texts[member] ?? ''}
						error={errorOf(error, `${name}.${member}`)}
						disabled={disabled}
						onInput={(text) => onChange({ ...draft, [member]: text })}
					/>
				))}
			{whole && <p class="field-error">{whole}</p>}
		</fieldset>
	);
}
