/** The dialog for a webhook: where it leads, in which format, and what is posted. It shows what the format needs. */

import {
	SUBMISSION_CREATED,
	WEBHOOK_EVENT_NAMES,
	WEBHOOK_EVENTS,
	type WebhookEvent,
} from '../../../../delivery/events.ts';
import { CONDITIONS_MAX } from '../../../../form-values/conditions.ts';
import { isMessageFormat, messageRequest } from '../../../../form-values/message-formats.ts';
import {
	INCLUDE_NAMES,
	INCLUDES,
	type Include,
	WEBHOOK_FORMAT_NAMES,
	WEBHOOK_FORMATS,
	type WebhookFormat,
} from '../../../../form-values/webhook-formats.ts';
import type { CreateWebhook, UpdateWebhook, Webhook } from '../../api-types.ts';
import { CodeBlock } from '../../components/code.tsx';
import { FormDialog } from '../../components/dialogs.tsx';
import { Choices, Field, Select, Switch } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import { useDraft } from '../../state/draft.ts';
import { useAction } from '../../use-action.ts';
import { ConditionsInput, conditionDraft, conditionOf, NEW_CONDITIONS } from './conditions-input.tsx';

export type WebhookInput = CreateWebhook;

const EVENTS: { value: WebhookEvent; label: string; hint: string }[] = WEBHOOK_EVENT_NAMES.map((value) => {
	const { label, posted } = WEBHOOK_EVENTS[value];
	return { value, label, hint: words.webhooks.eventHint(posted) };
});
const FORMATS = WEBHOOK_FORMAT_NAMES.map((value) => ({ value, label: WEBHOOK_FORMATS[value].label }));
const HOW_MUCH = INCLUDE_NAMES.map((value) => ({ value, label: INCLUDES[value] }));
const BODY = '{\n  "text": "{{message}}"\n}';
/** In place of the value of a header, which cannot be read. */
const STORED = words.webhooks.storedHeader;

interface Props {
	title: string;
	verb: string;
	webhook?: Webhook;
	/** Under this name the typed text is kept. */
	place: string;
	/** With `changes` alone, what another owner has changed meanwhile stays. */
	onSave: (webhook: WebhookInput, changes: UpdateWebhook) => Promise<unknown>;
	onClose: () => void;
}

/** Lines such as `Name: value`. */
function headersOf(lines: string): Record<string, string | null> | null {
	const pairs = lines.split('\n').flatMap((line) => {
		const [, name = '', value = ''] = /^\s*([^:]*?)\s*:\s*(.*?)\s*$/.exec(line) ?? [line, line.trim(), ''];
		return name === '' ? [] : [[name, value === STORED ? null : value]];
	});
	return pairs.length > 0 ? Object.fromEntries(pairs) : null;
}

function parseBody(text: string): object | string {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function changesOf(opened: WebhookInput, webhook: WebhookInput): UpdateWebhook {
	const before: Record<string, unknown> = { ...opened };
	const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[name]);
	return Object.fromEntries(Object.entries(webhook).filter(isChanged));
}

const draftOf = (webhook: Webhook | undefined) => ({
	url: webhook?.url ?? '',
	name: webhook?.name ?? '',
	format: webhook?.format ?? ('standard' as WebhookFormat),
	include: webhook?.include ?? ('summary' as Include),
	events: webhook?.events ?? [SUBMISSION_CREATED as WebhookEvent],
	headers: Object.keys(webhook?.headers ?? {})
		.map((header) => `${header}: ${STORED}`)
		.join('\n'),
	body: webhook?.body ? JSON.stringify(webhook.body, null, 2) : BODY,
	where: (webhook?.where ?? []).map(conditionDraft),
});

const requestOf = ({ url, name, headers, where, body, ...draft }: ReturnType<typeof draftOf>): WebhookInput => ({
	...draft,
	url: url.trim(),
	name: name.trim() || null,
	headers: headersOf(headers),
	where: where.map(conditionOf),
	...(draft.format === 'custom' && { body: parseBody(body) as object }),
});

export function WebhookDialog({ webhook, place, onSave, ...props }: Props) {
	const [{ draft, base }, set] = useDraft(place, draftOf(webhook));
	const { url, name, format, include, events, headers, body, where } = draft;
	const described: { hint: string; placeholder: string; header?: string } = WEBHOOK_FORMATS[format];
	const request = requestOf(draft);
	const action = useAction(() => onSave(request, changesOf(requestOf(base), request)).then(props.onClose));
	const { error } = action;
	const takesHeaders = !isMessageFormat(format) || described.header !== undefined || headers !== '';
	return (
		<FormDialog {...props} wasTyped={draft !== base} isReady={url.trim() !== '' && events.length > 0} action={action}>
			<Select
				label={words.webhooks.format}
				options={FORMATS}
				value={format}
				onChange={(value) => set({ format: value as WebhookFormat })}
				error={errorOf(error, 'format')}
			/>
			<Field
				label={words.webhooks.address}
				type="url"
				value={url}
				onInput={(url) => set({ url })}
				error={errorOf(error, 'url')}
				placeholder={described.placeholder}
				hint={described.hint}
				autoFocus
			/>
			<Field
				label={words.controls.name}
				value={name}
				onInput={(name) => set({ name })}
				error={errorOf(error, 'name')}
				hint={words.webhooks.nameHint}
			/>
			{takesHeaders && (
				<Field
					label={words.webhooks.headers}
					lines={2}
					isMono
					value={headers}
					onInput={(headers) => set({ headers })}
					error={errorOf(error, 'headers')}
					placeholder={described.header ?? 'Authorization: Bearer …'}
					hint={words.webhooks.headersHint}
				/>
			)}
			{format === 'custom' && (
				<Field
					label={words.webhooks.body}
					lines={5}
					isMono
					value={body}
					onInput={(body) => set({ body })}
					error={errorOf(error, 'body')}
					hint={words.webhooks.bodyHint}
				/>
			)}
			{isMessageFormat(format) && (
				<>
					<Select
						label={words.webhooks.holds}
						options={HOW_MUCH}
						value={include}
						onChange={(value) => set({ include: value as Include })}
					/>
					<details>
						<summary>{words.webhooks.preview}</summary>
						<CodeBlock name={words.webhooks.preview} text={previewOf(format, { include, url })} />
					</details>
				</>
			)}
			<Choices
				legend={words.controls.posted}
				type="checkbox"
				options={EVENTS}
				chosen={events}
				onChange={(events) => set({ events })}
			/>
			<Switch
				label={words.webhooks.onlySomeSwitch}
				isOn={where.length > 0}
				onChange={(isOn) => set({ where: isOn ? NEW_CONDITIONS : [] })}
			/>
			{where.length > 0 && (
				<ConditionsInput
					member="where"
					max={CONDITIONS_MAX}
					drafts={where}
					error={error}
					onChange={(where) => set({ where })}
				/>
			)}
		</FormDialog>
	);
}

function previewOf(
	format: Parameters<typeof messageRequest>[0],
	{ include, url }: { include: Include; url: string },
): string {
	const { placeholder } = WEBHOOK_FORMATS[format];
	const message = {
		title: words.webhooks.sampleTitle,
		text: words.webhooks.samples[include],
		link: `${location.origin}/#/forms/…`,
	};
	const address = URL.canParse(url.trim()) ? url.trim() : placeholder;
	return JSON.stringify(messageRequest(format, message, { url: address, id: 'msg_1' }).body, null, 2);
}
