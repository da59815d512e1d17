/** One submission: its fields, flags, deliveries and actions. */

import { useEffect, useRef } from 'preact/hooks';
import type { Submission } from '../api-types.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { absoluteTime, relativeTime } from '../format.ts';
import { navigate } from '../location.ts';
import { type InboxQuery, to } from '../router.ts';
import { spamReasonText } from '../spam-reason.ts';
import { now } from '../state/clock.ts';
import { formOf } from '../state/forms.ts';
import type { Inbox } from '../state/inbox.ts';
import { removeLater, setFlags } from '../state/inbox-actions.ts';
import { may } from '../state/session.ts';
import { replyAddress, summarise } from '../summary.ts';
import { leave, step } from './inbox/inbox-keys.ts';
import { FieldList } from './submission/field-list.tsx';
import { SubmissionDeliveries } from './submission/submission-deliveries.tsx';

interface Props {
	inbox: Inbox;
	query: InboxQuery;
	id: string;
}

function SpamNote({ row }: { row: Submission }) {
	if (!row.isSpam) return null;
	return (
		<p class="notice warning">
			<Icon name="ban" />
			<span>
				<strong>Spam.</strong> {spamReasonText(row.spamReason)}
			</span>
		</p>
	);
}

function Actions({ inbox, query, row }: { inbox: Inbox; query: InboxQuery; row: Submission }) {
	const place = { form: inbox.formId, submission: row.id, query };
	const moveSpam = () => {
		leave(inbox, place);
		void setFlags(inbox, [row], { isSpam: !row.isSpam });
	};
	const remove = () => {
		leave(inbox, place);
		removeLater(inbox, [row.id]);
	};
	return (
		<div class="detail-actions" role="toolbar" aria-label="Submission">
			{may('write') && (
				<>
					<IconButton
						icon="star"
						label={row.isStarred ? 'Unstar' : 'Star'}
						hotkey="s"
						tone="star"
						isFilled={row.isStarred}
						isPressed={row.isStarred}
						onClick={() => void setFlags(inbox, [row], { isStarred: !row.isStarred })}
					/>
					<IconButton
						icon={row.isRead ? 'mail' : 'read'}
						label={row.isRead ? 'Mark unread' : 'Mark read'}
						hotkey="e"
						onClick={() => void setFlags(inbox, [row], { isRead: !row.isRead })}
					/>
					<IconButton
						icon={row.isSpam ? 'inbox' : 'ban'}
						label={row.isSpam ? 'Not spam' : 'Spam'}
						hotkey="!"
						onClick={moveSpam}
					/>
				</>
			)}
			{may('delete') && <IconButton icon="trash" label="Delete" hotkey="#" tone="danger" onClick={remove} />}
		</div>
	);
}

function Bar({ inbox, query, id }: Props) {
	const place = { form: inbox.formId, submission: id, query };
	const at = inbox.rows.value.findIndex((row) => row.id === id);
	const row = inbox.current.value;
	return (
		<header class="detail-bar">
			<a
				class="icon-button"
				href={to.inbox(inbox.formId, query)}
				aria-label="Back to the list"
				title="Back to the list (Esc)"
			>
				<Icon name="back" />
			</a>
			{row && <Actions inbox={inbox} query={query} row={row} />}
			<div class="detail-steps">
				<IconButton
					icon="chevron"
					label="Previous"
					hotkey="k"
					isDisabled={at <= 0}
					onClick={() => step(inbox, place, -1)}
				/>
				<IconButton
					icon="chevron"
					label="Next"
					hotkey="j"
					isDisabled={at >= inbox.rows.value.length - 1}
					onClick={() => step(inbox, place, 1)}
				/>
			</div>
		</header>
	);
}

function Body({ inbox, row }: { inbox: Inbox; row: Submission }) {
	const heading = useRef<HTMLHeadingElement>(null);
	const reply = replyAddress(row.data);
	const subject = encodeURIComponent(`Re: ${formOf(inbox.formId)?.name ?? 'your message'}`);
	useEffect(() => heading.current?.focus({ preventScroll: true }), [row.id]);
	return (
		<div class="detail-scroll">
			<div class="detail-head">
				<div>
					<h2 ref={heading} tabIndex={-1}>
						<bdi>{summarise(row.data).title}</bdi>
					</h2>
					<p class="muted small">
						<time dateTime={row.createdAt}>
							{absoluteTime(row.createdAt)} · {relativeTime(row.createdAt, now.value)}
						</time>
					</p>
				</div>
				{reply && (
					<a class="button" href={`mailto:${encodeURIComponent(reply)}?subject=${subject}`} rel="noopener noreferrer">
						<Icon name="mail" />
						Reply
					</a>
				)}
			</div>
			<SpamNote row={row} />
			<FieldList data={row.data} />
			{may('admin') && <SubmissionDeliveries key={row.id} form={inbox.formId} submission={row.id} />}
		</div>
	);
}

export function SubmissionDetail({ inbox, query, id }: Props) {
	const row = inbox.current.value;
	const isShown = row?.id === id;
	const isUnread = isShown && !row.isRead;
	useEffect(() => {
		if (isUnread && may('write') && row) void setFlags(inbox, [row], { isRead: true });
	}, [isShown && id]);
	return (
		<article class="detail" aria-label="Submission">
			<Bar inbox={inbox} query={query} id={id} />
			{isShown && <Body inbox={inbox} row={row} />}
			{!isShown && inbox.isMissing.value && (
				<EmptyState icon="trash" title="This submission is gone">
					<button type="button" class="button" onClick={() => navigate(to.inbox(inbox.formId, query))}>
						Back to the list
					</button>
				</EmptyState>
			)}
		</article>
	);
}
