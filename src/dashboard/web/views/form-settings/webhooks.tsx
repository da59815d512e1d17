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
import * as words from '../../sentences/more-words.ts';
import { useKeptText } from '../../state/draft.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { unsaved } from '../../state/unsaved.ts';
import { useQuery } from '../../use-query.ts';
import { WebhookDialog, type WebhookInput } from './webhook-dialog.tsx';

interface RowProps {
	form: string;
	webhook: Webhook;
	onChanged: () => void;
	onSecret: (secret: string) => void;
}

function outcomeOf({ delivered, status, error }: WebhookTestResult): string {
	if (delivered) return words.webhooks.arrived(status);
	return error ?? words.webhooks.rejected(status);
}

function State({ webhook }: { webhook: Webhook }) {
	if (!webhook.isActive) return <span class="chip">{words.webhooks.off}</span>;
	return webhook.failingSince ? (
		<span class="chip warn">{words.webhooks.failing}</span>
	) : (
		<span class="chip good">{words.controls.active}</span>
	);
}

function WebhookRow({ form, webhook, onChanged, onSecret }: RowProps) {
	const [isAsking, setAsking] = useState(false);
	const [isEditing, setEditing] = useState(unsaved().has(webhook.id));
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
				{webhook.where.length > 0 && <span class="muted small">{words.webhooks.onlySome}</span>}
				{webhook.failingSince && (
					<span class="muted small">{words.webhooks.failingSince(<Time iso={webhook.failingSince} />)}</span>
				)}
				{webhook.disabledReason && <span class="error-text small">{webhook.disabledReason}</span>}
			</div>
			<State webhook={webhook} />
			<div class="row tight wrap">
				<Button label={words.webhooks.test} look="small" onClick={test} />
				<Button label={words.webhooks.edit} look="small" onClick={() => setEditing(true)} />
				<Button
					label={webhook.isActive ? words.webhooks.turnOff : words.webhooks.turnOn}
					look="small"
					onClick={() => update({ isActive: !webhook.isActive }).catch(showError)}
				/>
				<Button label={words.webhooks.newSecret} look="small" onClick={rotate} />
				<IconButton icon="trash" label={words.webhooks.remove} tone="danger" onClick={() => setAsking(true)} />
			</div>
			{isEditing && (
				<WebhookDialog
					title={words.webhooks.editTitle}
					verb={words.webhooks.editVerb}
					webhook={webhook}
					place={webhook.id}
					onSave={(_, changes) => update(changes)}
					onClose={() => setEditing(false)}
				/>
			)}
			{isAsking && (
				<ConfirmDialog
					title={words.webhooks.removeQuestion}
					verb={words.webhooks.removeVerb}
					onConfirm={() => api.webhooks.remove(form, webhook.id).then(onChanged)}
					onClose={() => setAsking(false)}
				>
					<p class="break">{words.webhooks.removeWarning(webhook.url)}</p>
				</ConfirmDialog>
			)}
		</li>
	);
}

export function Webhooks({ form }: { form: string }) {
	const query = useQuery(form, () => api.webhooks.list(form));
	const { reload } = query;
	const place = `webhook ${form}`;
	const [isAdding, setAdding] = useState(unsaved().has(place));
	const [secret, setSecret] = useKeptText(`webhookSecret ${form}`);
	const add = async (webhook: WebhookInput) => {
		const { secret } = await api.webhooks.create(form, webhook);
		setAdding(false);
		setSecret(secret);
		reload();
	};
	return (
		<section class="card stack">
			<h2>{words.webhooks.webhooks}</h2>
			<p class="muted">{words.webhooks.intro}</p>
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
				<Button label={words.webhooks.add} icon="plus" onClick={() => setAdding(true)} />
			</div>
			{isAdding && (
				<WebhookDialog
					title={words.webhooks.newWebhook}
					verb={words.webhooks.newVerb}
					place={place}
					onSave={add}
					onClose={() => setAdding(false)}
				/>
			)}
			{secret && (
				<SecretDialog
					title={words.webhooks.secretTitle}
					secret={secret}
					what={words.webhooks.theSecret}
					onClose={() => setSecret('')}
				>
					<p>{words.webhooks.secretHint}</p>
				</SecretDialog>
			)}
		</section>
	);
}
