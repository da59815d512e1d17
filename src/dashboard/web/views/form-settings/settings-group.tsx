/** The settings of one group, which are saved together; a switch is saved at once. */

import { useState } from 'preact/hooks';
import type { SettingGroup } from '../../../../forms/kinds/setting.ts';
import { FORM_SETTINGS, SETTING_NAMES, type SettingName } from '../../../../forms/settings.ts';
import * as api from '../../api.ts';
import type { Form, UpdateForm } from '../../api-types.ts';
import { FormFoot } from '../../components/buttons.tsx';
import { Switch } from '../../components/inputs.tsx';
import { Notice } from '../../components/messages.tsx';
import * as words from '../../sentences/more-words.ts';
import { formOf, loadForms, putForm } from '../../state/forms.ts';
import { may, session } from '../../state/session.ts';
import { showError, showToast, showUnsaved } from '../../state/toasts.ts';
import { unsaved, useUnsaved } from '../../state/unsaved.ts';
import { useAction } from '../../use-action.ts';
import { controlOf } from './setting-controls.tsx';

interface Props {
	form: Form;
	group: SettingGroup;
}

/** Settings as their inputs hold them. */
type Draft = Partial<Record<SettingName, unknown>>;

/** Settings that are changed, and what was stored of each when that began. */
type Typed = Partial<Record<SettingName, { value: unknown; base: unknown }>>;

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const namesIn = (group: SettingGroup) => SETTING_NAMES.filter((name) => FORM_SETTINGS[name].group === group);

function controlsIn(group: SettingGroup) {
	return namesIn(group).flatMap((name) => {
		const control = controlOf(name);
		return control ? [{ name, setting: FORM_SETTINGS[name], ...control }] : [];
	});
}

const goneIn = (changes: unknown) => Object.values(changes ?? {}).filter((change) => change === null).length;

/** Returns whether entries of a list are gone or in another order. */
function isRearranged(before: unknown, after: unknown): boolean {
	if (!Array.isArray(before) || !Array.isArray(after)) return goneIn(before) !== goneIn(after);
	return before.some((entry, at) => at >= after.length || entry?.id !== after[at]?.id);
}

const formerAddresses = ({ formerSlugs }: Form) =>
	words.formSettings.formerAddresses(formerSlugs.map((slug) => `/f/${slug}`));

function Switches({ form, group }: Props) {
	const [, redraw] = useState({});
	const change = (setting: UpdateForm) =>
		api.forms
			.update(form.id, setting)
			.then(putForm)
			.catch((error: unknown) => {
				// The browser has moved the switch, which shows again what is stored.
				redraw({});
				showError(error);
			});
	return namesIn(group)
		.filter((name) => FORM_SETTINGS[name].kind === 'switch')
		.map((name) => (
			<Switch
				key={name}
				label={FORM_SETTINGS[name].label}
				hint={FORM_SETTINGS[name].hint}
				isOn={form[name] === true}
				disabled={!may('write')}
				onChange={(isOn) => change({ [name]: isOn })}
			/>
		));
}

export function GroupForm({ form, group }: Props) {
	const controls = controlsIn(group);
	const stored: Draft = Object.fromEntries(controls.map(({ name, draft }) => [name, draft(form[name])]));
	const place = `${form.id} ${group}`;
	const kept = unsaved<Typed>().get(place);
	/** Only settings that are changed here: another owner's changes to the others show, and stay when this is saved. */
	const [typed, setTyped] = useState<Typed>(kept ?? {});
	/** From the first change on there is a button to save, which keeps its focus then. */
	const [isTouched, setTouched] = useState(kept !== undefined);
	const draft: Draft = { ...stored };
	for (const { name } of controls) if (typed[name]) draft[name] = typed[name].value;
	const changed = controls.filter(({ name }) => !isSame(draft[name], stored[name]));
	const isChanged = changed.length > 0;
	const outdated = changed.filter(({ name, isMerged }) => !isMerged && !isSame(typed[name]?.base, stored[name]));
	const { run, isBusy, error, clearError } = useAction(async () => {
		const isMerged = changed.some((control) => control.isMerged);
		const saved = await (isMerged ? loadForms() : Promise.resolve())
			.then(() => {
				const latest = formOf(form.id) ?? form;
				const entries = changed.map(({ name, setting, change }) => [name, change(draft[name], setting, latest[name])]);
				return api.forms.update(form.id, Object.fromEntries(entries));
			})
			.catch((error) => showUnsaved(error, words.formSettings.settings));
		putForm(saved);
		setTyped((now) => {
			// The rest was typed while this was saved, and stays.
			const rest = controls.filter(({ name }) => now[name] && now[name].value !== draft[name]);
			return Object.fromEntries(
				rest.map(({ name, draft }) => [name, { value: now[name]?.value, base: draft(saved[name]) }]),
			);
		});
		showToast(words.formSettings.saved);
	});
	useUnsaved(place, isChanged ? typed : undefined);
	const set = (name: SettingName) => (value: unknown) => {
		setTouched(true);
		// Faults name entries by their places.
		if (isRearranged(draft[name], value)) clearError();
		setTyped(({ [name]: before, ...others }) =>
			isSame(value, stored[name])
				? others
				: { ...others, [name]: { value, base: before ? before.base : stored[name] } },
		);
	};
	return (
		<form class="card stack large" onSubmit={run} noValidate>
			<Switches form={form} group={group} />
			{controls.map(({ name, setting, Input }) => (
				<Input
					key={name}
					form={form.id}
					name={name}
					setting={setting}
					draft={draft[name]}
					{...(name === 'slug' && { hint: `${session.value?.submitUrl}/f/${draft.slug}. ${formerAddresses(form)}` })}
					error={error}
					disabled={!may('write')}
					onChange={set(name)}
				/>
			))}
			{outdated.length > 0 && !isBusy && (
				<Notice tone="warning" role="alert">
					{words.formSettings.outdated(outdated.map(({ setting }) => setting.label))}
				</Notice>
			)}
			{isTouched && (
				<FormFoot save={words.formSettings.save} isBusy={isBusy} isChanged={isChanged} onDiscard={() => setTyped({})} />
			)}
		</form>
	);
}
