/** The addresses that hear of a form's submissions. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { IconButton } from '../../parts/icon-button.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { showError, showToast } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';
import type { Webhook } from '../../wire.ts';

interface RowProps {
	form: string;
	webhook: Webhook;
	onChanged: () => void;
	onSecret: (secret: string) => void;
}

function WebhookRow({ form, webhook, onChanged, onSecret }: RowProps) {
	const [isAsking, setAsking] = useState(false);
	const toggle = () =>
		api.webhooks.update(form, webhook.id, { isActive: !webhook.isActive }).then(onChanged).catch(showError);
	const test = () =>
		api.webhooks
			.test(form, webhook.id)
			.then(() => showToast('A test event is on its way; see Deliveries for how it went.'))
			.catch(showError);
	const rotate = () =>
		api.webhooks
			.rotate(form, webhook.id)
			.then(({ secret }) => onSecret(secret ?? ''))
			.catch(showError);
	return (
		<li class="webhook">
			<div class="webhook-text">
				<bdi class="mono break">{webhook.url}</bdi>
				{webhook.disabledReason && <span class="error-text small">{webhook.disabledReason}</span>}
			</div>
			<span class={webhook.isActive ? 'chip good' : 'chip'}>{webhook.isActive ? 'Active' : 'Off'}</span>
			<div class="row-actions">
				<button type="button" class="button small" onClick={test}>
					Test
				</button>
				<button type="button" class="button small" onClick={toggle}>
					{webhook.isActive ? 'Turn off' : 'Turn on'}
				</button>
				<button type="button" class="button small" onClick={rotate}>
					New secret
				</button>
				<IconButton icon="trash" label="Delete webhook" tone="danger" onClick={() => setAsking(true)} />
			</div>
			{isAsking && (
				<ConfirmDialog
					title="Delete this webhook?"
					verb="Delete"
					onConfirm={() => api.webhooks.remove(form, webhook.id).then(onChanged)}
					onClose={() => setAsking(false)}
				>
					<p class="break">{webhook.url} will not hear of new submissions any more.</p>
				</ConfirmDialog>
			)}
		</li>
	);
}

function NewWebhook({ form, onMade }: { form: string; onMade: (webhook: Webhook) => void }) {
	const [url, setUrl] = useState('');
	const [error, setError] = useState('');
	const create = async (event: Event) => {
		event.preventDefault();
		setError('');
		try {
			onMade(await api.webhooks.create(form, { url: url.trim() }));
			setUrl('');
		} catch (cause) {
			const refused = cause instanceof api.ApiError ? cause : undefined;
			setError(refused?.fields.url ?? refused?.message ?? 'The webhook could not be made.');
		}
	};
	return (
		<form class="inline-form" onSubmit={create} noValidate>
			<Field
				label="New webhook"
				type="url"
				value={url}
				onInput={setUrl}
				error={error}
				placeholder="https://example.com/hooks/formsrv"
			/>
			<button type="submit" class="button" disabled={url.trim() === ''}>
				Add
			</button>
		</form>
	);
}

export function Webhooks({ form }: { form: string }) {
	const { data, reload } = useQuery(form, () => api.webhooks.list(form));
	const [secret, setSecret] = useState('');
	return (
		<section class="card stack">
			<h2>Webhooks</h2>
			<p class="muted">
				Each new submission is posted as JSON, signed after the Standard Webhooks specification, and tried again for
				days if the other side is down.
			</p>
			{data && data.webhooks.length > 0 && (
				<ul class="webhooks">
					{data.webhooks.map((webhook) => (
						<WebhookRow key={webhook.id} form={form} webhook={webhook} onChanged={reload} onSecret={setSecret} />
					))}
				</ul>
			)}
			<NewWebhook
				form={form}
				onMade={(made) => {
					reload();
					setSecret(made.secret ?? '');
				}}
			/>
			{secret && (
				<SecretDialog title="The webhook’s secret" secret={secret} what="the secret" onClose={() => setSecret('')}>
					<p>Your receiver checks signatures with it. It is shown only now.</p>
				</SecretDialog>
			)}
		</section>
	);
}
