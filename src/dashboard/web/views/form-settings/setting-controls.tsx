/** The control of each kind of setting. A switch has none, because it is saved at once. */

import type { Choices as ChoicesKind } from '../../../../forms/kinds/choice.ts';
import type { List } from '../../../../forms/kinds/list.ts';
import type { Count, Moment } from '../../../../forms/kinds/scalar.ts';
import type { Setting } from '../../../../forms/kinds/setting.ts';
import type { Text } from '../../../../forms/kinds/text.ts';
import { FORM_SETTINGS, type FormSetting, type SettingName } from '../../../../forms/settings.ts';
import { Choices, Field, Select } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import { localMoment, momentOf } from '../../format.ts';
import * as words from '../../sentences/words.ts';
import { context } from './context-setting.tsx';
import type { Control } from './control.ts';
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

const text: Control<Text, string> = {
	draft: (value) => value ?? '',
	change: (draft, { blank }) => draft.trim() || blank,
	Input({ name, setting, draft, hint = setting.hint, error, disabled, onChange }) {
		const { label, placeholder, isMono, input, lines, maxLength, isRequired } = setting;
		return (
			<Field
				{...{ label, hint, placeholder, isMono, lines, maxLength, disabled }}
				type={input}
				required={isRequired}
				value={draft}
				error={errorOf(error, name)}
				onInput={onChange}
			/>
		);
	},
};

const list: Control<List, string> = {
	draft: (entries) => entries.join('\n'),
	change: entriesOf,
	Input({ name, setting: { label, hint, placeholder, isMono }, draft, error, disabled, onChange }) {
		return (
			<Field
				{...{ label, hint, placeholder, isMono, disabled }}
				lines={3}
				value={draft}
				error={errorOf(error, name, entriesOf(draft))}
				onInput={onChange}
			/>
		);
	},
};

const choice: Control<Extract<FormSetting, { kind: 'choice' }>, string> = {
	draft: (value) => value ?? '',
	change: (draft) => draft || null,
	Input({ name, setting: { label, hint, none, choices }, draft, error, disabled, onChange }) {
		const options = Object.entries(choices).map(([value, shown]) => ({ value, label: shown.label }));
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
		const options = Object.entries(choices).map(([value, shown]) => ({ value, label: shown.label }));
		return <Choices {...{ options, hint, disabled, onChange }} legend={label} type="checkbox" chosen={draft} />;
	},
};

const moment: Control<Moment, string> = {
	draft: (value) => (value === null ? '' : localMoment(value)),
	change: (draft) => (draft === '' ? null : momentOf(draft)),
	Input({ name, setting: { label, hint }, draft, error, disabled, onChange }) {
		return (
			<Field
				{...{ label, hint, disabled }}
				type="datetime-local"
				value={draft}
				error={errorOf(error, name)}
				onInput={onChange}
			/>
		);
	},
};

const count: Control<Count, string> = {
	draft: (value) => (value === null ? '' : `${value}`),
	change: typedNumber,
	Input({ name, setting: { label, hint }, draft, error, disabled, onChange }) {
		return (
			<Field
				{...{ label, hint, disabled }}
				placeholder={words.formSettings.anyNumber}
				value={draft}
				error={errorOf(error, name)}
				onInput={onChange}
			/>
		);
	},
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
