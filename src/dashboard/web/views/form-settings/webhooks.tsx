/** The webhooks of a form. */

import { useState } from 'preact/hooks';
import {
	SUBMISSION_CREATED,
	WEBHOOK_EVENT_NAMES,
	WEBHOOK_EVENTS,
	type WebhookEvent,
} from '../../../../delivery/events.ts';
import * as api from '../../api.ts';
import type { UpdateWebhook, Webhook, WebhookTestResult } from '../../api-types.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { ConfirmDialog, FormDialog, SecretDialog } from '../../components/dialogs.tsx';
import { Choices, Field } from '../../components/inputs.tsx';
import { Loaded } from '../../components/messages.tsx';
import { Time } from '../../components/time.tsx';
import { errorOf } from '../../field-errors.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { useAction } from '../../use-action.ts';
import { useQuery } from '../../use-query.ts';

type WebhookInput = Pick<Webhook, 'url' | 'events'>;

const NEW: WebhookInput = { url: '', events: [SUBMISSION_CREATED] };
const EVENTS: { value: WebhookEvent; label: string; hint: string }[] = WEBHOOK_EVENT_NAMES.map((value) => {
	const { label, posted } = WEBHOOK_EVENTS[value];
	return { value, label, hint: `When ${posted}.` };
});

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
				<bdi class="mono break">{webhook.url}</bdi>
				<span class="muted small">{webhook.events.map((event) => WEBHOOK_EVENTS[event].label).join(', ')}</span>
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

interface WebhookDialogProps {
	title: string;
	verb: string;
	webhook: WebhookInput;
	onSave: (webhook: WebhookInput) => Promise<unknown>;
	onClose: () => void;
}

/** Asks where a webhook leads and what is posted to it. */
function WebhookDialog({ webhook, onSave, ...props }: WebhookDialogProps) {
	const [url, setUrl] = useState(webhook.url);
	const [events, setEvents] = useState(webhook.events);
	const action = useAction(() => onSave({ url: url.trim(), events }).then(props.onClose));
	return (
		<FormDialog {...props} isReady={url.trim() !== '' && events.length > 0} action={action}>
			<Field
				label="Address"
				type="url"
				value={url}
				onInput={setUrl}
				error={errorOf(action.error, 'url')}
				placeholder="https://example.com/hooks/formsrv"
				autoFocus
			/>
			<Choices legend="What is posted" type="checkbox" options={EVENTS} chosen={events} onChange={setEvents} />
		</FormDialog>
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
				Submissions are posted as JSON, signed after the Standard Webhooks specification, and tried again for days if
				the other side is down.
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
			{isAdding && (
				<WebhookDialog title="New webhook" verb="Add" webhook={NEW} onSave={add} onClose={() => setAdding(false)} />
			)}
			{secret && (
				<SecretDialog title="The webhook’s secret" secret={secret} what="the secret" onClose={() => setSecret('')}>
					<p>Your receiver verifies signatures with it. It is shown only once.</p>
				</SecretDialog>
			)}
		</section>
	);
}
