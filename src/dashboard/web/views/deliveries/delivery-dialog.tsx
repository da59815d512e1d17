/** One delivery: its state, attempts and content; a mail is shown in a sandboxed frame. */

import { useState } from 'preact/hooks';
import { plural } from '../../../../text/plural.ts';
import * as api from '../../api.ts';
import type { DeliveryContent, DeliveryDetail, DeliveryState } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { CodeBlock } from '../../components/code.tsx';
import { channelName, DeliveryStateChip } from '../../components/delivery-state.tsx';
import { Dialog } from '../../components/dialogs.tsx';
import { Segments } from '../../components/inputs.tsx';
import { Loaded } from '../../components/messages.tsx';
import { Term } from '../../components/term.tsx';
import { absoluteTime, jsonText, valueText } from '../../format.ts';
import { to } from '../../router.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';

interface Props {
	id: string;
	onRetried: () => void;
	onClose: () => void;
}

const RETRIABLE: DeliveryState[] = ['failed', 'waiting', 'withheld', 'held'];

type Part = 'html' | 'text';
const PARTS: { value: Part; label: string }[] = [
	{ value: 'html', label: 'Rendered' },
	{ value: 'text', label: 'Text' },
];

function addressText(value: unknown): string {
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
				{content.from && <Term name="From">{addressText(content.from)}</Term>}
				{content.replyTo !== undefined && content.replyTo !== null && (
					<Term name="Reply to">{addressText(content.replyTo)}</Term>
				)}
				<Term name="Subject">{content.subject ?? ''}</Term>
			</dl>
			{content.html && content.text && <Segments legend="Part" options={PARTS} value={part} onChange={setPart} />}
			{part === 'text' ? (
				<CodeBlock text={content.text ?? ''} name="Text of the mail" />
			) : (
				<iframe class="mail-frame" title="The mail as it looks" sandbox="" src={api.deliveries.previewAddress(id)} />
			)}
		</div>
	);
}

function Sent({ id, content }: Pick<DeliveryDetail, 'id' | 'content'>) {
	if (content === null) return <p class="muted small">The content is no longer stored.</p>;
	if (content.subject !== undefined) return <Mail id={id} content={content} />;
	return <CodeBlock text={jsonText(content)} name="What is posted" />;
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
	return (
		<dl class="terms stack">
			<Term name="To">
				<bdi class="break">{delivery.destination}</bdi>
			</Term>
			<Term name="State">
				<DeliveryStateChip state={delivery.state} /> after {plural(delivery.attempts, 'attempt')}
			</Term>
			<Term name="Created">{absoluteTime(delivery.createdAt)}</Term>
			{delivery.finishedAt && <Term name="Finished">{absoluteTime(delivery.finishedAt)}</Term>}
			{delivery.nextAttemptAt && <Term name="Next try">{absoluteTime(delivery.nextAttemptAt)}</Term>}
			{delivery.lastError && (
				<Term name="Last error">
					<span class="error-text">{delivery.lastError}</span>
				</Term>
			)}
			{delivery.digest && (
				<Term name="Went with">
					<a href={to.delivery(delivery.digest)}>one mail about many</a>
				</Term>
			)}
			{delivery.submission && (
				<Term name="Because of">
					<a href={to.submission(delivery.form, delivery.submission)}>this submission</a>
				</Term>
			)}
		</dl>
	);
}

function Content({ delivery }: { delivery: DeliveryDetail }) {
	return (
		<>
			<Facts delivery={delivery} />
			{delivery.content?.isCut && <p class="muted small">Only the beginning is shown; the whole content is sent.</p>}
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
				showToast('Retrying now.');
				reload();
				onRetried();
			})
			.catch(showError);
	return (
		<Dialog
			title={delivery ? channelName(delivery.channel) : 'Delivery'}
			isWide
			onClose={onClose}
			actions={canRetry && <Button label="Send now" look="primary" onClick={retry} />}
		>
			<Loaded query={query}>{(delivery) => <Content delivery={delivery} />}</Loaded>
		</Dialog>
	);
}
