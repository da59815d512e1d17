/** How a setting of each kind is shown and changed. A switch stands by itself, because it is saved at once. */

import type { JSX } from 'preact';
import { type ContextRules, NO_CONTEXT } from '../../../../form-values/context-rules.ts';
import type { SavedView } from '../../../../form-values/saved-views.ts';
import type { Choices as ChoicesKind } from '../../../../forms/kinds/choice.ts';
import type { Context } from '../../../../forms/kinds/context.ts';
import type { Fields } from '../../../../forms/kinds/fields.ts';
import type { Files } from '../../../../forms/kinds/files.ts';
import type { List } from '../../../../forms/kinds/list.ts';
import type { Routes } from '../../../../forms/kinds/mail-routes.ts';
import type { NotificationSetting as NotificationKind } from '../../../../forms/kinds/notification.ts';
import type { Pages } from '../../../../forms/kinds/pages.ts';
import type { Retention } from '../../../../forms/kinds/retention.ts';
import type { Count, Moment } from '../../../../forms/kinds/scalar.ts';
import type { Setting } from '../../../../forms/kinds/setting.ts';
import type { Spam } from '../../../../forms/kinds/spam.ts';
import type { Text } from '../../../../forms/kinds/text.ts';
import type { Views } from '../../../../forms/kinds/views.ts';
import type {
	AutoresponderSetting as AutoresponderKind,
	ConfirmationSetting,
} from '../../../../forms/kinds/visitor-mails.ts';
import { FORM_SETTINGS, type FormSetting, type SettingName } from '../../../../forms/settings.ts';
import { Choices, Field, Select } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import { localMoment, momentOf } from '../../format.ts';
import * as words from '../../sentences/words.ts';
import { ContextSetting } from './context-setting.tsx';
import type { ControlProps } from './control-props.ts';
import { type RuleDraft, ruleDraft, ruleOf } from './field-drafts.ts';
import { FieldsSetting } from './fields-setting.tsx';
import { entriesOf, FilesSetting, fileRulesChange, fileRulesDraft } from './files-setting.tsx';
import {
	type NotificationDraft,
	NotificationSetting,
	notificationChange,
	notificationDraft,
} from './notification-setting.tsx';
import { type PagesDraft, PagesSetting, pagesChange, pagesDraft } from './pages-setting.tsx';
import { type RetentionDraft, RetentionSetting, retentionChange, retentionDraft } from './retention-setting.tsx';
import { type RouteDraft, RoutesSetting, routeDraft, routeOf } from './routes-setting.tsx';
import { type SpamDraft, SpamSetting, spamChange, spamDraft } from './spam-setting.tsx';
import { ViewsSetting } from './views-setting.tsx';
import {
	type AutoresponderDraft,
	AutoresponderSetting,
	autoresponderChange,
	autoresponderDraft,
	type ConfirmationDraft,
	ConfirmationMailSetting,
	confirmationChange,
	confirmationDraft,
} from './visitor-mail-setting.tsx';

/** @template Draft What the inputs hold; JSON. */
interface Control<S extends Setting<unknown>, Draft> {
	/** Converts a stored value into a draft. */
	draft(value: S['blank']): Draft;
	/** Converts a draft into the value to send. */
	change(draft: Draft, setting: S): unknown;
	Input(props: ControlProps<S, Draft>): JSX.Element;
}

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

const files: Control<Files, string> = {
	draft: fileRulesDraft,
	change: fileRulesChange,
	Input: FilesSetting,
};

const context: Control<Context, ContextRules> = {
	draft: (value) => value ?? NO_CONTEXT,
	change: (draft) => draft,
	Input: ContextSetting,
};

const spam: Control<Spam, SpamDraft> = {
	draft: spamDraft,
	change: spamChange,
	Input: SpamSetting,
};

const pages: Control<Pages, PagesDraft> = {
	draft: pagesDraft,
	change: pagesChange,
	Input: PagesSetting,
};

const retention: Control<Retention, RetentionDraft> = {
	draft: retentionDraft,
	change: retentionChange,
	Input: RetentionSetting,
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
	// The server rejects values that are not numbers.
	change: (draft) => (/^\d+$/.test(draft.trim()) ? Number(draft) : draft.trim() || null),
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

const fields: Control<Fields, RuleDraft[]> = {
	draft: (rules) => (rules ?? []).map(ruleDraft),
	change: (drafts) => (drafts.length > 0 ? drafts.map(ruleOf) : null),
	Input: FieldsSetting,
};

const notification: Control<NotificationKind, NotificationDraft> = {
	draft: notificationDraft,
	change: notificationChange,
	Input: NotificationSetting,
};

const routes: Control<Routes, RouteDraft[]> = {
	draft: (value) => value.map(routeDraft),
	change: (drafts) => drafts.map(routeOf),
	Input: RoutesSetting,
};

const autoresponder: Control<AutoresponderKind, AutoresponderDraft> = {
	draft: autoresponderDraft,
	change: autoresponderChange,
	Input: AutoresponderSetting,
};

const confirmation: Control<ConfirmationSetting, ConfirmationDraft> = {
	draft: confirmationDraft,
	change: confirmationChange,
	Input: ConfirmationMailSetting,
};

const views: Control<Views, SavedView[]> = {
	draft: (value) => value,
	change: (draft) => draft,
	Input: ViewsSetting,
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

/** `undefined` for a switch. */
export function controlOf(name: SettingName): Control<Setting<unknown>, unknown> | undefined {
	return (CONTROLS as Partial<Record<string, Control<Setting<unknown>, unknown>>>)[FORM_SETTINGS[name].kind];
}
