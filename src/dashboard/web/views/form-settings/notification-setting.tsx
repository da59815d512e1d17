/** The setting of what the mails of a form say; their addresses are those of `notificationEmail`, and copies. */

import type { Notification, NotificationInput } from '../../../../form-values/notification-rules.ts';
import type { NotificationSetting as Kind } from '../../../../forms/kinds/notification.ts';
import { ApiError } from '../../api.ts';
import { Field, Switch } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import type { ControlProps } from './control-props.ts';

const TEXTS = {
	cc: { label: 'Copies to', hint: 'With the addresses above up to ten. They show in every mail.' },
	bcc: { label: 'Hidden copies to', hint: 'The others do not see them.' },
	subject: {
		label: 'Subject',
		placeholder: '{{form.name}}: {{name}}',
		hint: 'Empty: that of the page, or a plain one.',
	},
	fromName: { label: 'Name of the sender', hint: 'The address is that of the server. Empty: its name.' },
	replyTo: {
		label: 'Replies go to',
		placeholder: 'email',
		hint: 'An address, or the name of the field that has it. Empty: the field email.',
	},
	intro: { label: 'Text above the fields', lines: 4 },
} as const satisfies Partial<Record<keyof Notification, object>>;
type Text = keyof typeof TEXTS;
const TEXT_NAMES = Object.keys(TEXTS) as Text[];

/** As the inputs hold it; `fields` one on each line, and `null` for all. */
export type NotificationDraft = Record<Text, string> & { fields: string | null };

export function notificationDraft(value: Notification | null): NotificationDraft {
	const texts = TEXT_NAMES.map((name) => [name, value?.[name] ?? '']);
	const fields = value?.fields ?? 'all';
	return { ...Object.fromEntries(texts), fields: fields === 'all' ? null : fields.join('\n') };
}

export function notificationChange({ fields, ...texts }: NotificationDraft): NotificationInput {
	const names = fields?.split('\n').filter((line) => line.trim() !== '');
	const entries = TEXT_NAMES.map((name) => [name, texts[name].trim() || null]);
	return { ...Object.fromEntries(entries), fields: names ?? 'all' };
}

export function NotificationSetting({
	name,
	setting,
	draft,
	error,
	disabled,
	onChange,
}: ControlProps<Kind, NotificationDraft>) {
	const whole = error instanceof ApiError ? error.fields[name] : undefined;
	return (
		<fieldset class="stack">
			<legend>{setting.label}</legend>
			<p class="hint">{setting.hint}</p>
			<div class="pairs">
				{TEXT_NAMES.map((member) => (
					<Field
						key={member}
						{...TEXTS[member]}
						value={draft[member]}
						error={errorOf(error, `${name}.${member}`)}
						disabled={disabled}
						onInput={(text) => onChange({ ...draft, [member]: text })}
					/>
				))}
			</div>
			<Switch
				label="Show all fields"
				isOn={draft.fields === null}
				disabled={disabled}
				onChange={(isOn) => onChange({ ...draft, fields: isOn ? null : '' })}
			/>
			{draft.fields !== null && (
				<Field
					label="Only these fields"
					hint="One name per line, in the order of the mail. Empty: none."
					lines={4}
					isMono
					value={draft.fields}
					error={errorOf(error, `${name}.fields`)}
					disabled={disabled}
					onInput={(fields) => onChange({ ...draft, fields })}
				/>
			)}
			{whole && <p class="field-error">{whole}</p>}
		</fieldset>
	);
}
