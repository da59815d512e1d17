/** A form's settings and webhooks, and its deletion. */

import { useState } from 'preact/hooks';
import { FORM_SETTINGS, SETTING_NAMES, type SettingName } from '../../../forms/settings.ts';
import { roughSize } from '../../../text/byte-sizes.ts';
import { plural } from '../../../text/plural.ts';
import * as api from '../api.ts';
import type { Form, UpdateForm } from '../api-types.ts';
import { Button, FormFoot } from '../components/buttons.tsx';
import { ConfirmDialog } from '../components/dialogs.tsx';
import { Switch } from '../components/inputs.tsx';
import { FormView } from '../components/page.tsx';
import { navigate, route } from '../location.ts';
import { to } from '../router.ts';
import { dropForm, putForm } from '../state/forms.ts';
import { may, session } from '../state/session.ts';
import { showError, showToast, showUnsaved } from '../state/toasts.ts';
import { useAction } from '../use-action.ts';
import { controlOf } from './form-settings/setting-controls.tsx';
import { SpamLists } from './form-settings/spam-lists.tsx';
import { Webhooks } from './form-settings/webhooks.tsx';

/** The settings that are saved together, as their inputs hold them. */
type Draft = Record<SettingName, unknown>;

const CONTROLS = SETTING_NAMES.flatMap((name) => {
	const control = controlOf(name);
	return control ? [{ name, setting: FORM_SETTINGS[name], ...control }] : [];
});

function draftOf(form: Form): Draft {
	return Object.fromEntries(CONTROLS.map(({ name, draft }) => [name, draft(form[name])])) as Draft;
}

function changeOf(draft: Draft): UpdateForm {
	return Object.fromEntries(CONTROLS.map(({ name, setting, change }) => [name, change(draft[name], setting)]));
}

function formerAddresses({ formerSlugs }: Form): string {
	if (formerSlugs.length === 0) return 'If you change it, the old address keeps working until another form takes it.';
	return `Until another form takes them, these go on working: ${formerSlugs.map((slug) => `/f/${slug}`).join(', ')}.`;
}

function SettingsForm({ form }: { form: Form }) {
	const [draft, setDraft] = useState(() => draftOf(form));
	const { run, isBusy, error } = useAction(() =>
		api.forms.update(form.id, changeOf(draft)).then(accept, (error) => showUnsaved(error, 'settings')),
	);
	const accept = (saved: Form) => {
		putForm(saved);
		setDraft(draftOf(saved));
		showToast('Settings saved.');
	};
	const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(form));
	const set = (name: SettingName) => (value: unknown) => setDraft((before) => ({ ...before, [name]: value }));
	return (
		<form class="card stack large" onSubmit={run} aria-label="Settings" noValidate>
			{CONTROLS.map(({ name, setting, Input }) => (
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
			{may('write') && (
				<FormFoot save="Save changes" isBusy={isBusy} isChanged={isChanged} onDiscard={() => setDraft(draftOf(form))} />
			)}
		</form>
	);
}

/** A switch is saved at once. */
function Switches({ form }: { form: Form }) {
	const change = (setting: UpdateForm) => api.forms.update(form.id, setting).then(putForm).catch(showError);
	return (
		<section class="card">
			{SETTING_NAMES.filter((name) => FORM_SETTINGS[name].kind === 'switch').map((name) => (
				<Switch
					key={name}
					label={FORM_SETTINGS[name].label}
					hint={FORM_SETTINGS[name].hint}
					isOn={form[name] === true}
					disabled={!may('write')}
					onChange={(isOn) => change({ [name]: isOn })}
				/>
			))}
		</section>
	);
}

function DeleteForm({ form }: { form: Form }) {
	const [isAsking, setAsking] = useState(false);
	const count = form.submissionCount + form.spamCount;
	const files = form.fileBytes > 0 && `their files (${roughSize(form.fileBytes)}), `;
	const remove = async () => {
		await api.forms.remove(form.id);
		dropForm(form.id);
		const shown = route.peek();
		if ('form' in shown && shown.form === form.id) navigate(to.forms());
		showToast(`The form “${form.name}” is gone.`);
	};
	return (
		<section class="card spread wrap">
			<div>
				<h2>Delete this form</h2>
				<p class="muted">
					With its {plural(count, 'submission')}, {files}webhooks and the form-level keys that are for it alone, for
					good. Its address is free for another form after 30 days.
				</p>
			</div>
			<Button label="Delete form…" look="danger" onClick={() => setAsking(true)} />
			{isAsking && (
				<ConfirmDialog
					title="Delete this form?"
					verb="Delete for good"
					typed={form.slug}
					onConfirm={remove}
					onClose={() => setAsking(false)}
				>
					<p>
						<strong>{plural(count, 'submission')}</strong> will be removed with it
						{form.fileBytes > 0 && ', and all files attached to them'}. This cannot be undone; export them first if you
						may need them.
					</p>
				</ConfirmDialog>
			)}
		</section>
	);
}

export function FormSettings({ form: id }: { form: string }) {
	return (
		<FormView form={id} title="Settings of">
			{(form) => (
				<>
					<Switches form={form} />
					<SettingsForm form={form} />
					<SpamLists key={id} form={id} />
					{may('admin') && <Webhooks form={id} />}
					{may('delete') && <DeleteForm form={form} />}
				</>
			)}
		</FormView>
	);
}
