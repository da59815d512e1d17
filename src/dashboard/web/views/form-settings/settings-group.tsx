/** The settings of one group, which are saved together; a switch is saved at once. */

import { useState } from 'preact/hooks';
import type { SettingGroup } from '../../../../forms/kinds/setting.ts';
import { FORM_SETTINGS, SETTING_NAMES, type SettingName } from '../../../../forms/settings.ts';
import * as api from '../../api.ts';
import type { Form, UpdateForm } from '../../api-types.ts';
import { FormFoot } from '../../components/buttons.tsx';
import { Switch } from '../../components/inputs.tsx';
import * as words from '../../sentences/words.ts';
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
	const kept = unsaved<Draft>().get(place);
	/** Only settings that are changed here: another owner's changes to the others show, and stay when this is saved. */
	const [typed, setTyped] = useState<Draft>(kept ?? {});
	/** From the first change on there is a button to save, which keeps its focus then. */
	const [isTouched, setTouched] = useState(kept !== undefined);
	const draft = { ...stored, ...typed };
	const isAsStored = (name: SettingName, value: unknown) => JSON.stringify(value) === JSON.stringify(stored[name]);
	const changed = controls.filter(({ name }) => !isAsStored(name, draft[name]));
	const isChanged = changed.length > 0;
	const { run, isBusy, error, clearError } = useAction(async () => {
		const isMerged = changed.some((control) => control.isMerged);
		await (isMerged ? loadForms() : Promise.resolve())
			.then(() => {
				const latest = formOf(form.id) ?? form;
				const entries = changed.map(({ name, setting, change }) => [name, change(draft[name], setting, latest[name])]);
				return api.forms.update(form.id, Object.fromEntries(entries));
			})
			.then(putForm)
			.catch((error) => showUnsaved(error, words.formSettings.settings));
		// The rest was typed while this was saved, and stays.
		setTyped((now) =>
			Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== draft[name as SettingName])),
		);
		showToast(words.formSettings.saved);
	});
	useUnsaved(place, isChanged ? typed : undefined);
	const set = (name: SettingName) => (value: unknown) => {
		setTouched(true);
		// Faults name entries by their places.
		if (isRearranged(draft[name], value)) clearError();
		setTyped(({ [name]: _, ...others }) => (isAsStored(name, value) ? others : { ...others, [name]: value }));
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
			{isTouched && (
				<FormFoot save={words.formSettings.save} isBusy={isBusy} isChanged={isChanged} onDiscard={() => setTyped({})} />
			)}
		</form>
	);
}
