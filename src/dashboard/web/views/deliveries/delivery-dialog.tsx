/** One delivery: its state, attempts and content; a mail is shown in a sandboxed frame. */

import { useState } from 'preact/hooks';
import { RETRY_STATES } from '../../../../delivery/bounds.ts';
import * as api from '../../api.ts';
import type { DeliveryContent, DeliveryDetail, DeliveryState } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { CodeBlock } from '../../components/code.tsx';
import { DeliveryStateChip } from '../../components/delivery-state.tsx';
import { Dialog } from '../../components/dialogs.tsx';
import { Segments } from '../../components/inputs.tsx';
import { Loaded } from '../../components/messages.tsx';
import { Term } from '../../components/term.tsx';
import { absoluteTime, jsonText, valueText } from '../../format.ts';
import { to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';

interface Props {
	id: string;
	onRetried: () => void;
	onClose: () => void;
}

const RETRIABLE: readonly DeliveryState[] = RETRY_STATES;

type Part = 'html' | 'text';
const PARTS: { value: Part; label: string }[] = [
	{ value: 'html', label: words.deliveries.rendered },
	{ value: 'text', label: words.deliveries.text },
];

/** A mailbox, or several. */
export function addressText(value: unknown): string {
	if (Array.isArray(value)) return value.map(addressText).join(', ');
	if (typeof value === 'object' && value !== null && 'address' in value) {
		const { name, address } = value as { name?: string; address: string };
		return name ? `${name} <${address}>` : address;
	}
	return valueText(value);
}

function Mail({ id, content }: { id: string; content: DeliveryContent }) {
	const [part, setPart] = useState<Part>(content.html ? 'html' : 'text');
	return (
		<div class="stack">
			<dl class="terms stack">
				{content.from && <Term name={words.controls.mailFrom}>{addressText(content.from)}</Term>}
				{content.replyTo !== undefined && content.replyTo !== null && (
					<Term name={words.controls.replyTo}>{addressText(content.replyTo)}</Term>
				)}
				<Term name={words.controls.subject}>{content.subject ?? ''}</Term>
			</dl>
			{content.html && content.text && (
				<Segments legend={words.deliveries.part} options={PARTS} value={part} onChange={setPart} />
			)}
			{part === 'text' ? (
				<CodeBlock text={content.text ?? ''} name={words.deliveries.textOfMail} />
			) : (
				<iframe
					class="mail-frame"
					title={words.controls.mailAsItLooks}
					sandbox=""
					src={api.deliveries.previewAddress(id)}
				/>
			)}
		</div>
	);
}

function Sent({ id, channel, content }: Pick<DeliveryDetail, 'id' | 'channel' | 'content'>) {
	if (content === null) return <p class="muted small">{words.deliveries.notStored}</p>;
	// A body of the owner's may have any member.
	if (channel !== 'webhook') return <Mail id={id} content={content} />;
	return <CodeBlock text={jsonText(content)} name={words.controls.posted} />;
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
	return (
		<dl class="terms stack">
			<Term name={words.controls.mailTo}>
				<bdi class="break">{delivery.destination}</bdi>
			</Term>
			<Term name={words.controls.state}>
				{words.deliveries.stateAfter(<DeliveryStateChip state={delivery.state} />, delivery.attempts)}
			</Term>
			<Term name={words.controls.created}>{absoluteTime(delivery.createdAt)}</Term>
			{delivery.finishedAt && <Term name={words.deliveries.finished}>{absoluteTime(delivery.finishedAt)}</Term>}
			{delivery.nextAttemptAt && <Term name={words.deliveries.nextTry}>{absoluteTime(delivery.nextAttemptAt)}</Term>}
			{delivery.lastError && (
				<Term name={words.deliveries.lastError}>
					<span class="error-text">{delivery.lastError}</span>
				</Term>
			)}
			{delivery.digest && (
				<Term name={words.deliveries.wentWith}>
					<a href={to.delivery(delivery.digest)}>{words.deliveries.oneMail}</a>
				</Term>
			)}
			{delivery.submission && (
				<Term name={words.deliveries.becauseOf}>
					<a href={to.submission(delivery.form, delivery.submission)}>{words.deliveries.thisSubmission}</a>
				</Term>
			)}
		</dl>
	);
}

function Content({ delivery }: { delivery: DeliveryDetail }) {
	return (
		<>
			<Facts delivery={delivery} />
			{delivery.content?.isCut && <p class="muted small">{words.deliveries.isCut}</p>}
			<Sent {...delivery} />
		</>
	);
}

export function DeliveryDialog({ id, onRetried, onClose }: Props) {
	const query = useQuery(id, () => api.deliveries.read(id));
	const { data: delivery, reload } = query;
	const canRetry = delivery !== undefined && RETRIABLE.includes(delivery.state);
	const retry = () =>
		api.deliveries
			.retry(id)
			.then(() => {
				showToast(words.deliveries.retryingNow);
				reload();
				onRetried();
			})
			.catch(showError);
	return (
		<Dialog
			title={delivery ? words.deliveries.channels[delivery.channel] : words.deliveries.delivery}
			isWide
			onClose={onClose}
			actions={canRetry && <Button label={words.deliveries.sendNow} look="primary" onClick={retry} />}
		>
			<Loaded query={query}>{(delivery) => <Content delivery={delivery} />}</Loaded>
		</Dialog>
	);
}
