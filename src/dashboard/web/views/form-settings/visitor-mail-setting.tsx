/** The settings of mails to visitors: the field with the address, and the words. */

import {
	type Autoresponder,
	type AutoresponderInput,
	type ConfirmationInput,
	type ConfirmationMail,
	VISITOR_MAIL_MAX,
} from '../../../../form-values/visitor-mails.ts';
import type { Setting } from '../../../../forms/kinds/setting.ts';
import type { AutoresponderSetting, ConfirmationSetting } from '../../../../forms/kinds/visitor-mails.ts';
import { Field, Switch } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';

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

type AutoresponderDraft = Draft<keyof Autoresponder>;
type ConfirmationDraft = Draft<keyof ConfirmationMail>;

export const autoresponder: Control<AutoresponderSetting, AutoresponderDraft> = {
	draft: (mail) => draftOf(RESPONSE_INPUTS, mail) as AutoresponderDraft,
	change: autoresponderChange,
	Input: (props) => <MailInputs {...props} inputs={RESPONSE_INPUTS} switchLabel={words.formSettings.sendResponse} />,
};

export const confirmation: Control<ConfirmationSetting, ConfirmationDraft> = {
	draft: (mail) => draftOf(CONFIRMATION_INPUTS, mail) as ConfirmationDraft,
	change: ({ isOn, ...texts }): ConfirmationInput | null => (isOn ? trimmed(texts) : null),
	Input: (props) => (
		<MailInputs {...props} inputs={CONFIRMATION_INPUTS} switchLabel={words.formSettings.askToConfirm} />
	),
};

const membersOf = (inputs: Inputs) => Object.keys(inputs) as Member[];

function draftOf(inputs: Inputs, mail: Partial<Autoresponder> | null) {
	const texts = membersOf(inputs).map((member) => [member, `${mail?.[member] ?? ''}`]);
	return { ...Object.fromEntries(texts), isOn: mail !== null };
}

const trimmed = (texts: Record<string, string>) =>
	Object.fromEntries(Object.entries(texts).map(([member, text]) => [member, text.trim() || null]));

function autoresponderChange({ isOn, delayMinutes, ...texts }: AutoresponderDraft): AutoresponderInput | null {
	if (!isOn) return null;
	// The server rejects what is no number.
	const delay = /^\d*$/.test(delayMinutes.trim()) ? Number(delayMinutes) : -1;
	return { ...trimmed(texts), delayMinutes: delay };
}

type MailProps<Kind extends Setting<unknown>, Of extends Member> = ControlProps<Kind, Draft<Of>> & {
	inputs: Inputs;
	switchLabel: string;
};

function MailInputs<Kind extends Setting<unknown>, Of extends Member>({
	name,
	setting,
	draft,
	error,
	disabled,
	onChange,
	inputs,
	switchLabel,
}: MailProps<Kind, Of>) {
	const texts = draft as Record<string, string>;
	return (
		<SettingFieldset name={name} setting={setting} error={error} disabled={disabled}>
			<Switch label={switchLabel} isOn={draft.isOn} onChange={(isOn) => onChange({ ...draft, isOn })} />
			{draft.isOn &&
				Object.entries(inputs).map(([member, input]) => (
					<Field
						key={member}
						{...input}
						maxLength={member === 'delayMinutes' ? 5 : VISITOR_MAIL_MAX[member as Member]}
						value={texts[member] ?? ''}
						error={errorOf(error, `${name}.${member}`)}
						onInput={(text) => onChange({ ...draft, [member]: text })}
					/>
				))}
		</SettingFieldset>
	);
}
