/** The setting of what the mails of a form say; their addresses are those of `notificationEmail`, and copies. */

import type { Notification, NotificationInput } from '../../../../form-values/notification-rules.ts';
import type { NotificationSetting } from '../../../../forms/kinds/notification.ts';
import { Field, Switch } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';
import { sentTexts, TextFields, textsOf } from './text-fields.tsx';

const TEXTS = {
	cc: words.formSettings.notification.cc,
	bcc: words.formSettings.notification.bcc,
	subject: { ...words.formSettings.notification.subject, placeholder: '{{form.name}}: {{name}}' },
	fromName: words.formSettings.notification.fromName,
	replyTo: { ...words.formSettings.notification.replyTo, placeholder: 'email' },
	intro: { ...words.formSettings.notification.intro, lines: 4 },
} satisfies Partial<Record<keyof Notification, object>>;

/** As the inputs hold it; `fields` one on each line, and `null` for all. */
type Draft = Record<keyof typeof TEXTS, string> & { fields: string | null };

export const notification: Control<NotificationSetting, Draft> = {
	draft: draftOf,
	change: changeOf,
	Input: NotificationInputs,
};

function draftOf(value: Notification | null): Draft {
	const fields = value?.fields ?? 'all';
	return { ...textsOf(TEXTS, value), fields: fields === 'all' ? null : fields.join('\n') };
}

function changeOf({ fields, ...texts }: Draft): NotificationInput {
	const names = fields?.split('\n').filter((line) => line.trim() !== '');
	return { ...sentTexts(texts), fields: names ?? 'all' };
}

function NotificationInputs(props: ControlProps<NotificationSetting, Draft>) {
	const { name, setting, draft, error, disabled, onChange } = props;
	return (
		<SettingFieldset name={name} setting={setting} error={error} disabled={disabled}>
			<div class="pairs">
				<TextFields inputs={TEXTS} {...{ name, draft, error, onChange }} />
			</div>
			<Switch
				label={words.formSettings.showAllFields}
				isOn={draft.fields === null}
				onChange={(isOn) => onChange({ ...draft, fields: isOn ? null : '' })}
			/>
			{draft.fields !== null && (
				<Field
					label={words.formSettings.onlyFields}
					hint={words.formSettings.onlyFieldsHint}
					lines={4}
					isMono
					value={draft.fields}
					error={errorOf(error, `${name}.fields`)}
					onInput={(fields) => onChange({ ...draft, fields })}
				/>
			)}
		</SettingFieldset>
	);
}
