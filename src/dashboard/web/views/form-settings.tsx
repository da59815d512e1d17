/** A form's settings and webhooks, and its deletion. */

import { useState } from 'preact/hooks';
import { FORM_SETTINGS, isNullable, mapSettings, SETTING_NAMES, type SettingName } from '../../../forms/settings.ts';
import { announce, useTitle } from '../announce.ts';
import * as api from '../api.ts';
import type { Form, UpdateForm } from '../api-types.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Field } from '../components/field.tsx';
import { FormHead } from '../components/form-head.tsx';
import { Select } from '../components/select.tsx';
import { Switch } from '../components/switch.tsx';
import { errorOf } from '../field-errors.ts';
import { plural } from '../format.ts';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import { dropForm, formOf, forms, putForm } from '../state/forms.ts';
import { may, session } from '../state/session.ts';
import { showError, showToast } from '../state/toasts.ts';
import { Webhooks } from './form/webhooks.tsx';
import { NotFound } from './not-found.tsx';

/** The settings that are saved together, as the inputs hold them. */
type Draft = Record<SettingName, string>;

const INPUT_NAMES = SETTING_NAMES.filter((name) => FORM_SETTINGS[name].kind !== 'switch');

function draftOf(form: Form): Draft {
	return mapSettings(({ kind }, name) =>
		kind === 'list' ? (form[name] as string[]).join('\n') : `${form[name] ?? ''}`,
	);
}

const entriesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

function changeOf(draft: Draft): UpdateForm {
	const values = INPUT_NAMES.map((name) => {
		const setting = FORM_SETTINGS[name];
		if (setting.kind === 'list') return [name, entriesOf(draft[name])];
		return [name, draft[name].trim() || (isNullable(setting) ? null : '')];
	});
	return Object.fromEntries(values);
}

function formerAddresses({ formerSlugs }: Form): string {
	if (formerSlugs.length === 0) return 'If you change it, the old address goes on working until another form takes it.';
	return `Until another form takes them, these go on working: ${formerSlugs.map((slug) => `/f/${slug}`).join(', ')}.`;
}

interface InputProps {
	name: SettingName;
	value: string;
	/** In place of that of the setting. */
	hint?: string;
	error?: string;
	isDisabled: boolean;
	onChange: (value: string) => void;
}

function SettingInput({ name, onChange, ...props }: InputProps) {
	const setting = FORM_SETTINGS[name];
	const { label, hint } = setting;
	if (setting.kind === 'choice') {
		const choices = Object.entries(setting.choices).map(([value, choice]) => ({ value, label: choice.label }));
		const options = [{ value: '', label: setting.none }, ...choices];
		return <Select label={label} hint={hint} {...props} options={options} onChange={onChange} />;
	}
	const { placeholder, isMono } = setting;
	const shared = { label, hint, placeholder, isMono, ...props, onInput: onChange };
	if (setting.kind !== 'text') return <Field {...shared} lines={3} />;
	return <Field {...shared} type={setting.input} maxLength={setting.maxLength} isRequired={setting.isRequired} />;
}

function SettingsForm({ form }: { form: Form }) {
	const [draft, setDraft] = useState(() => draftOf(form));
	const [failure, setFailure] = useState<api.ApiError | undefined>(undefined);
	const [isBusy, setBusy] = useState(false);
	const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(form));
	const set = (name: keyof Draft) => (value: string) => setDraft((before) => ({ ...before, [name]: value }));
	const save = async (event: Event) => {
		event.preventDefault();
		setBusy(true);
		setFailure(undefined);
		try {
			const saved = await api.forms.update(form.id, changeOf(draft));
			putForm(saved);
			setDraft(draftOf(saved));
			showToast('Settings saved.');
		} catch (error) {
			const apiError = error instanceof api.ApiError ? error : undefined;
			setFailure(apiError);
			if (['VALIDATION_ERROR', 'SLUG_TAKEN'].includes(apiError?.code ?? ''))
				announce('Some settings need another look.');
			else showError(error);
		}
		setBusy(false);
	};
	return (
		<form class="card stack-large" onSubmit={save} aria-label="Settings" noValidate>
			{INPUT_NAMES.map((name) => (
				<SettingInput
					key={name}
					name={name}
					value={draft[name]}
					{...(name === 'slug' && { hint: `${session.value?.submitUrl}/f/${draft.slug}. ${formerAddresses(form)}` })}
					error={errorOf(failure, name, entriesOf(draft[name]))}
					isDisabled={!may('write')}
					onChange={set(name)}
				/>
			))}
			{may('write') && (
				<div class="form-foot">
					<button type="submit" class="button primary" disabled={isBusy || !isChanged}>
						{isBusy ? 'Saving…' : 'Save changes'}
					</button>
					{isChanged && (
						<button type="button" class="button ghost" onClick={() => setDraft(draftOf(form))}>
							Discard
						</button>
					)}
				</div>
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
					isDisabled={!may('write')}
					onChange={(isOn) => change({ [name]: isOn })}
				/>
			))}
		</section>
	);
}

function DeleteForm({ form }: { form: Form }) {
	const [isAsking, setAsking] = useState(false);
	const count = form.submissionCount + form.spamCount;
	const remove = async () => {
		await api.forms.remove(form.id);
		dropForm(form.id);
		navigate(to.forms());
		showToast(`The form “${form.name}” is gone.`);
	};
	return (
		<section class="card danger-zone">
			<div>
				<h2>Delete this form</h2>
				<p class="muted">
					With its {plural(count, 'submission')}, webhooks and form-level keys, for good. Its address is free for
					another form after 30 days.
				</p>
			</div>
			<button type="button" class="button danger" onClick={() => setAsking(true)}>
				Delete form…
			</button>
			{isAsking && (
				<ConfirmDialog
					title="Delete this form?"
					verb="Delete for good"
					typed={form.slug}
					onConfirm={remove}
					onClose={() => setAsking(false)}
				>
					<p>
						<strong>{plural(count, 'submission')}</strong> will be removed with it. This cannot be undone; export them
						first if you may need them.
					</p>
				</ConfirmDialog>
			)}
		</section>
	);
}

export function FormSettings({ form: id }: { form: string }) {
	const form = formOf(id);
	useTitle(`Settings of ${form?.name ?? 'form'}`);
	if (form === undefined) return forms.value === undefined ? null : <NotFound />;
	return (
		<div class="form-view">
			<FormHead form={id} />
			<div class="column stack-large">
				<Switches form={form} />
				<SettingsForm form={form} />
				{may('admin') && <Webhooks form={id} />}
				{may('delete') && <DeleteForm form={form} />}
			</div>
		</div>
	);
}
