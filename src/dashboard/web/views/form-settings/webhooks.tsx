/** The webhooks of a form. */

import { useState } from 'preact/hooks';
import { WEBHOOK_EVENTS } from '../../../../delivery/events.ts';
import { WEBHOOK_FORMATS } from '../../../../form-values/webhook-formats.ts';
import * as api from '../../api.ts';
import type { UpdateWebhook, Webhook, WebhookTestResult } from '../../api-types.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { ConfirmDialog, SecretDialog } from '../../components/dialogs.tsx';
import { Loaded } from '../../components/messages.tsx';
import { Time } from '../../components/time.tsx';
import { showError, showToast } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';
import { WebhookDialog, type WebhookInput } from './webhook-dialog.tsx';

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
	const [isEditing, setEditing] = useState(false);
	const update = (change: UpdateWebhook) => api.webhooks.update(form, webhook.id, change).then(onChanged);
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
		<li class="webhook row wrap">
			<div class="lines">
				{webhook.name && <bdi>{webhook.name}</bdi>}
				<bdi class="mono break">{webhook.url}</bdi>
				<span class="muted small">{WEBHOOK_FORMATS[webhook.format].label}</span>
				<span class="muted small">{webhook.events.map((event) => WEBHOOK_EVENTS[event].label).join(', ')}</span>
				{webhook.where.length > 0 && <span class="muted small">Only submissions that meet its conditions</span>}
				{webhook.failingSince && (
					<span class="muted small">
						Failing since <Time iso={webhook.failingSince} />
					</span>
				)}
				{webhook.disabledReason && <span class="error-text small">{webhook.disabledReason}</span>}
			</div>
			<State webhook={webhook} />
			<div class="row tight wrap">
				<Button label="Test" look="small" onClick={test} />
				<Button label="Edit" look="small" onClick={() => setEditing(true)} />
				<Button
					label={webhook.isActive ? 'Turn off' : 'Turn on'}
					look="small"
					onClick={() => update({ isActive: !webhook.isActive }).catch(showError)}
				/>
				<Button label="New secret" look="small" onClick={rotate} />
				<IconButton icon="trash" label="Delete webhook" tone="danger" onClick={() => setAsking(true)} />
			</div>
			{isEditing && (
				<WebhookDialog
					title="Edit this webhook"
					verb="Save"
					webhook={webhook}
					onSave={update}
					onClose={() => setEditing(false)}
				/>
			)}
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

export function Webhooks({ form }: { form: string }) {
	const query = useQuery(form, () => api.webhooks.list(form));
	const { reload } = query;
	const [isAdding, setAdding] = useState(false);
	const [secret, setSecret] = useState('');
	const add = async (webhook: WebhookInput) => {
		const { secret } = await api.webhooks.create(form, webhook);
		setAdding(false);
		setSecret(secret);
		reload();
	};
	return (
		<section class="card stack">
			<h2>Webhooks</h2>
			<p class="muted">
				Submissions are posted to a program as JSON, signed after the Standard Webhooks specification, or to a chat as a
				message, and tried again for days if the other side is down.
			</p>
			<Loaded query={query}>
				{({ webhooks }) => (
					<ul>
						{webhooks.map((webhook) => (
							<WebhookRow key={webhook.id} form={form} webhook={webhook} onChanged={reload} onSecret={setSecret} />
						))}
					</ul>
				)}
			</Loaded>
			<div>
				<Button label="Add a webhook…" icon="plus" onClick={() => setAdding(true)} />
			</div>
			{isAdding && <WebhookDialog title="New webhook" verb="Add" onSave={add} onClose={() => setAdding(false)} />}
			{secret && (
				<SecretDialog title="The webhook’s secret" secret={secret} what="the secret" onClose={() => setSecret('')}>
					<p>Your receiver verifies signatures with it. It is shown only once.</p>
				</SecretDialog>
			)}
		</section>
	);
}
