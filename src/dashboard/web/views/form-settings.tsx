/** Everything a form can be told, its webhooks, and its end. */

import { useState } from 'preact/hooks';
import { CAPTCHA_NAMES, CAPTCHAS, type Captcha } from '../../../captchas.ts';
import { announce, useTitle } from '../announce.ts';
import * as api from '../api.ts';
import type { Form, FormChange } from '../api-types.ts';
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

const CAPTCHA_OPTIONS = [
	{ value: '', label: 'None: the honeypot only' },
	...CAPTCHA_NAMES.map((value) => ({ value, label: CAPTCHAS[value].label })),
];

/** The settings as the inputs hold them. */
interface Draft {
	name: string;
	slug: string;
	notificationEmail: string;
	redirectUrl: string;
	allowedDomains: string;
	captcha: string;
}

function draftOf(form: Form): Draft {
	return {
		name: form.name,
		slug: form.slug,
		notificationEmail: form.notificationEmail ?? '',
		redirectUrl: form.redirectUrl ?? '',
		allowedDomains: form.allowedDomains.join('\n'),
		captcha: form.captcha ?? '',
	};
}

function formerAddresses({ formerSlugs }: Form): string {
	if (formerSlugs.length === 0) return 'If you change it, the old address goes on working until another form takes it.';
	return `Until another form takes them, these go on working: ${formerSlugs.map((slug) => `/f/${slug}`).join(', ')}.`;
}

const domainsOf = (draft: Draft) => draft.allowedDomains.split(/[\s,]+/).filter(Boolean);

function changeOf(draft: Draft): FormChange {
	return {
		name: draft.name.trim(),
		slug: draft.slug.trim(),
		notificationEmail: draft.notificationEmail.trim() || null,
		redirectUrl: draft.redirectUrl.trim() || null,
		allowedDomains: domainsOf(draft),
		captcha: (draft.captcha || null) as Captcha | null,
	};
}

function SettingsForm({ form }: { form: Form }) {
	const [draft, setDraft] = useState(() => draftOf(form));
	const [refusal, setRefusal] = useState<api.ApiError | undefined>(undefined);
	const [isBusy, setBusy] = useState(false);
	const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(form));
	const set = (name: keyof Draft) => (value: string) => setDraft((before) => ({ ...before, [name]: value }));
	const bind = (name: keyof Draft) => ({
		value: draft[name],
		error: errorOf(refusal, name, domainsOf(draft)),
		isDisabled: !may('write'),
	});
	const save = async (event: Event) => {
		event.preventDefault();
		setBusy(true);
		setRefusal(undefined);
		try {
			const saved = await api.forms.update(form.id, changeOf(draft));
			putForm(saved);
			setDraft(draftOf(saved));
			showToast('Settings saved.');
		} catch (error) {
			const refused = error instanceof api.ApiError ? error : undefined;
			setRefusal(refused);
			if (['VALIDATION_ERROR', 'SLUG_TAKEN'].includes(refused?.code ?? ''))
				announce('Some settings need another look.');
			else showError(error);
		}
		setBusy(false);
	};
	return (
		<form class="card stack-large" onSubmit={save} aria-label="Settings" noValidate>
			<Field label="Name" {...bind('name')} onInput={set('name')} maxLength={200} isRequired />
			<Field
				label="Address"
				{...bind('slug')}
				onInput={set('slug')}
				hint={`${session.value?.submitUrl}/f/${draft.slug}. ${formerAddresses(form)}`}
				isMono
			/>
			<Field
				label="Notify by e-mail"
				type="text"
				{...bind('notificationEmail')}
				onInput={set('notificationEmail')}
				placeholder="you@example.com"
				hint="One address, or up to ten separated by commas. Leave it empty for no mails."
			/>
			<Field
				label="Redirect after submission"
				type="url"
				{...bind('redirectUrl')}
				onInput={set('redirectUrl')}
				placeholder="https://example.com/thanks"
				hint="Without one, visitors see a plain thank-you page."
			/>
			<Field
				label="Allowed domains"
				lines={3}
				{...bind('allowedDomains')}
				onInput={set('allowedDomains')}
				placeholder={'example.com\nlocalhost'}
				hint="One per line, subdomains included. Empty: any website may post. This stops other websites, not programs."
				isMono
			/>
			<Select
				label="Captcha"
				{...bind('captcha')}
				options={CAPTCHA_OPTIONS}
				onChange={set('captcha')}
				hint="Its secret is a setting of the server; the Connect page then includes the widget."
			/>
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

function Activity({ form }: { form: Form }) {
	const change = (isActive: boolean) => api.forms.update(form.id, { isActive }).then(putForm).catch(showError);
	return (
		<section class="card">
			<Switch
				label="Accept submissions"
				hint="A paused form answers with an error, and keeps what it has."
				isOn={form.isActive}
				isDisabled={!may('write')}
				onChange={change}
			/>
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
				<Activity form={form} />
				<SettingsForm form={form} />
				{may('admin') && <Webhooks form={id} />}
				{may('delete') && <DeleteForm form={form} />}
			</div>
		</div>
	);
}
