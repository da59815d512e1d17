/** The control of each kind of setting. A switch has none, because it is saved at once. */

import type { Choices as ChoicesKind } from '../../../../forms/kinds/choice.ts';
import type { List } from '../../../../forms/kinds/list.ts';
import type { Count, Moment } from '../../../../forms/kinds/scalar.ts';
import type { Setting } from '../../../../forms/kinds/setting.ts';
import type { Text } from '../../../../forms/kinds/text.ts';
import { FORM_SETTINGS, type FormSetting, type SettingName } from '../../../../forms/settings.ts';
import { Choices, Field, type FieldProps, Select } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import { localMoment, momentOf } from '../../format.ts';
import * as words from '../../sentences/more-words.ts';
import { context } from './context-setting.tsx';
import type { Control, ControlProps } from './control.ts';
import { fields } from './fields-setting.tsx';
import { entriesOf, files } from './files-setting.tsx';
import { notification } from './notification-setting.tsx';
import { pages } from './pages-setting.tsx';
import { retention } from './retention-setting.tsx';
import { routes } from './routes-setting.tsx';
import { spam } from './spam-setting.tsx';
import { typedNumber } from './typed-number.ts';
import { views } from './views-setting.tsx';
import { autoresponder, confirmation } from './visitor-mail-setting.tsx';

interface SettingFieldProps
	extends ControlProps<Pick<Setting<unknown>, 'label' | 'hint'>, string>,
		Pick<FieldProps, 'type' | 'lines' | 'placeholder' | 'required' | 'maxLength' | 'isMono'> {
	/** The entries of a list, which errors name by their places. */
	entries?: string[];
}

/** A setting that is one input. */
function SettingField(props: SettingFieldProps) {
	const { form: _, name, setting, hint = setting.hint, draft, error, entries, onChange, ...native } = props;
	const { label } = setting;
	return (
		<Field {...{ label, hint, ...native }} value={draft} error={errorOf(error, name, entries)} onInput={onChange} />
	);
}

const text: Control<Text, string> = {
	draft: (value) => value ?? '',
	change: (draft, { blank }) => draft.trim() || blank,
	Input(props) {
		const { placeholder, isMono, input: type, lines, maxLength, isRequired: required } = props.setting;
		return <SettingField {...props} {...{ placeholder, isMono, type, lines, maxLength, required }} />;
	},
};

const list: Control<List, string> = {
	draft: (entries) => entries.join('\n'),
	change: entriesOf,
	Input(props) {
		const { placeholder, isMono } = props.setting;
		return <SettingField {...props} {...{ placeholder, isMono }} lines={3} entries={entriesOf(props.draft)} />;
	},
};

const optionsOf = (choices: Readonly<Record<string, { label: string }>>) =>
	Object.entries(choices).map(([value, { label }]) => ({ value, label }));

const choice: Control<Extract<FormSetting, { kind: 'choice' }>, string> = {
	draft: (value) => value ?? '',
	change: (draft) => draft || null,
	Input({ name, setting: { label, hint, none, choices }, draft, error, disabled, onChange }) {
		const options = optionsOf(choices);
		return (
			<Select
				{...{ label, hint, disabled }}
				options={none === undefined ? options : [{ value: '', label: none }, ...options]}
				value={draft}
				error={errorOf(error, name)}
				onChange={onChange}
			/>
		);
	},
};

const choices: Control<ChoicesKind, string[]> = {
	draft: (value) => value,
	change: (draft) => draft,
	Input({ setting: { label, hint, choices }, draft, disabled, onChange }) {
		return (
			<Choices
				{...{ options: optionsOf(choices), hint, disabled, onChange }}
				legend={label}
				type="checkbox"
				chosen={draft}
			/>
		);
	},
};

const moment: Control<Moment, string> = {
	draft: (value) => (value === null ? '' : localMoment(value)),
	change: (draft) => (draft === '' ? null : momentOf(draft)),
	Input: (props) => <SettingField {...props} type="datetime-local" />,
};

const count: Control<Count, string> = {
	draft: (value) => (value === null ? '' : `${value}`),
	change: typedNumber,
	Input: (props) => <SettingField {...props} placeholder={words.formSettings.anyNumber} />,
};

type Kind = Exclude<FormSetting['kind'], 'switch'>;

const CONTROLS: { [K in Kind]: Control<Extract<FormSetting, { kind: K }>, unknown> } = {
	text,
	list,
	choice,
	choices,
	context,
	files,
	spam,
	retention,
	moment,
	count,
	fields,
	notification,
	routes,
	pages,
	autoresponder,
	confirmation,
	views,
};

export function controlOf(name: SettingName): Control<Setting<unknown>, unknown> | undefined {
	return (CONTROLS as Partial<Record<string, Control<Setting<unknown>, unknown>>>)[FORM_SETTINGS[name].kind];
}
