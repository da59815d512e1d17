/** The webhooks of a form. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { Webhook, WebhookTestResult, WebhookWithSecret } from '../../api-types.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { ConfirmDialog, SecretDialog } from '../../components/dialogs.tsx';
import { Field } from '../../components/inputs.tsx';
import { Time } from '../../components/time.tsx';
import { errorOfOnly } from '../../field-errors.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { useAction } from '../../use-action.ts';
import { useQuery } from '../../use-query.ts';

interface RowProps {
	form: string;
	webhook: Webhook;
	onChanged: () => void;
	onSecret: (secret: string) => void;
}

function outcomeOf({ delivered, status, error }: WebhookTestResult): string {
	if (delivered) return `The test event arrived: status ${status}.`;
	return error ?? `The receiver rejected the test event with status ${status}.`;
}

function State({ webhook }: { webhook: Webhook }) {
	if (!webhook.isActive) return <span class="chip">Off</span>;
	return webhook.failingSince ? <span class="chip warn">Failing</span> : <span class="chip good">Active</span>;
}

function WebhookRow({ form, webhook, onChanged, onSecret }: RowProps) {
	const [isAsking, setAsking] = useState(false);
	const toggle = () => api.webhooks.activate(form, webhook.id, !webhook.isActive).then(onChanged).catch(showError);
	const test = () =>
		api.webhooks
			.test(form, webhook.id)
			.then((result) => showToast(outcomeOf(result), { tone: result.delivered ? 'plain' : 'danger', lifeMs: 8000 }))
			.catch(showError);
	const rotate = () =>
		api.webhooks
			.rotate(form, webhook.id)
			.then(({ secret }) => onSecret(secret))
			.catch(showError);
	return (
		<li class="webhook">
			<div class="webhook-text">
				<bdi class="mono break">{webhook.url}</bdi>
				{webhook.failingSince && (
					<span class="muted small">
						Failing since <Time iso={webhook.failingSince} />
					</span>
				)}
				{webhook.disabledReason && <span class="error-text small">{webhook.disabledReason}</span>}
			</div>
			<State webhook={webhook} />
			<div class="row-actions">
				<Button label="Test" look="small" onClick={test} />
				<Button label={webhook.isActive ? 'Turn off' : 'Turn on'} look="small" onClick={toggle} />
				<Button label="New secret" look="small" onClick={rotate} />
				<IconButton icon="trash" label="Delete webhook" tone="danger" onClick={() => setAsking(true)} />
			</div>
			{isAsking && (
				<ConfirmDialog
					title="Delete this webhook?"
					verb="Delete"
					onConfirm={() => api.webhooks.remove(form, webhook.id).then(onChanged)}
					onClose={() => setAsking(false)}
				>
					<p class="break">{webhook.url} will get no more submissions.</p>
				</ConfirmDialog>
			)}
		</li>
	);
}

function NewWebhook({ form, onMade }: { form: string; onMade: (webhook: WebhookWithSecret) => void }) {
	const [url, setUrl] = useState('');
	const { run, error } = useAction(async () => {
		onMade(await api.webhooks.create(form, url.trim()));
		setUrl('');
	});
	return (
		<form class="inline-form" onSubmit={run} noValidate>
			<Field
				label="New webhook"
				type="url"
				value={url}
				onInput={setUrl}
				error={errorOfOnly(error, 'url')}
				placeholder="https://example.com/hooks/formsrv"
			/>
			<Button label="Add" type="submit" disabled={url.trim() === ''} />
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
					setSecret(made.secret);
				}}
			/>
			{secret && (
				<SecretDialog title="The webhook’s secret" secret={secret} what="the secret" onClose={() => setSecret('')}>
					<p>Your receiver verifies signatures with it. It is shown only once.</p>
				</SecretDialog>
			)}
		</section>
	);
}
