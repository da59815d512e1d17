/** The settings of mails to visitors: the field with the address, and the words. */

import { type Autoresponder, VISITOR_MAIL_MAX, type VisitorMail } from '../../../../form-values/visitor-mails.ts';
import type { AutoresponderSetting, ConfirmationSetting } from '../../../../forms/kinds/visitor-mails.ts';
import { Switch } from '../../components/inputs.tsx';
import * as words from '../../sentences/more-words.ts';
import type { Control } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';
import { sentTexts, TextFields, type TextInputs, textsOf } from './text-fields.tsx';

type Draft<Member extends string> = Record<Member, string> & { isOn: boolean };

const FIELD = { label: words.formSettings.responseField, placeholder: 'email', maxLength: VISITOR_MAIL_MAX.field };
const SUBJECT = { label: words.controls.subject, maxLength: VISITOR_MAIL_MAX.subject };
const TEXT = { label: words.formSettings.responseText, lines: 6, maxLength: VISITOR_MAIL_MAX.text };

export const autoresponder: Control<AutoresponderSetting, Draft<keyof Autoresponder>> = {
	...mailControl(words.formSettings.sendResponse, {
		field: FIELD,
		subject: { ...SUBJECT, placeholder: words.formSettings.responseSubjectExample },
		delayMinutes: { label: words.formSettings.responseDelay, placeholder: '0', maxLength: 5 },
		text: { ...TEXT, placeholder: words.formSettings.responseTextExample },
	}),
	change({ isOn, delayMinutes, ...texts }) {
		// The server rejects what is no number.
		const delay = /^\d*$/.test(delayMinutes.trim()) ? Number(delayMinutes) : -1;
		return isOn ? { ...sentTexts(texts), delayMinutes: delay } : null;
	},
};

export const confirmation: Control<ConfirmationSetting, Draft<keyof VisitorMail>> = mailControl(
	words.formSettings.askToConfirm,
	{
		field: FIELD,
		subject: { ...SUBJECT, placeholder: words.formSettings.confirmSubjectExample },
		text: { ...TEXT, placeholder: words.formSettings.confirmTextExample },
	},
);

function mailControl<Member extends string, Kind extends AutoresponderSetting | ConfirmationSetting>(
	switchLabel: string,
	inputs: TextInputs<Member>,
): Control<Kind, Draft<Member>> {
	return {
		draft: (mail) => ({ ...textsOf(inputs, mail), isOn: mail !== null }),
		change: ({ isOn, ...texts }) => (isOn ? sentTexts(texts) : null),
		Input: ({ name, setting, draft, error, disabled, onChange }) => (
			<SettingFieldset {...{ name, setting, error, disabled }}>
				<Switch label={switchLabel} isOn={draft.isOn} onChange={(isOn) => onChange({ ...draft, isOn })} />
				{draft.isOn && <TextFields {...{ name, inputs, draft, error, onChange }} />}
			</SettingFieldset>
		),
	};
}
