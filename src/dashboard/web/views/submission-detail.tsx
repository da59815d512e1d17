/** One submission: its fields, flags, deliveries and actions. */

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Submission } from '../api-types.ts';
import { Button, IconButton, IconLink } from '../components/buttons.tsx';
import { Icon } from '../components/icon.tsx';
import { EmptyState, LoadFailure, Loading } from '../components/messages.tsx';
import { FLAG_BUTTONS, FLAG_LOOKS } from '../flags.ts';
import { absoluteTime, relativeTime } from '../format.ts';
import { to } from '../router.ts';
import * as words from '../sentences/words.ts';
import type { Bindings } from '../shortcuts.ts';
import { now } from '../state/clock.ts';
import { formOf } from '../state/forms.ts';
import type { Inbox, InboxProps, RowProps } from '../state/inbox.ts';
import { setFlags } from '../state/inbox-actions.ts';
import { useLiveEvents } from '../state/live.ts';
import { isGone } from '../state/open-submission.ts';
import { may, session } from '../state/session.ts';
import { replyAddress, summarise } from '../summary.ts';
import { FlagButton } from './inbox/flag-button.tsx';
import { BlockMenu } from './submission-detail/block-menu.tsx';
import { Context } from './submission-detail/context.tsx';
import { FieldList } from './submission-detail/field-list.tsx';
import { Files } from './submission-detail/files.tsx';
import { LeftTexts, OwnWords } from './submission-detail/own-words.tsx';
import { SubmissionDeliveries } from './submission-detail/submission-deliveries.tsx';
import { Verdict } from './submission-detail/verdict.tsx';

interface Props extends InboxProps {
	id: string;
	keys: Bindings;
}

/** The buttons do what the keys do. */
function Actions({ row, keys }: { row: Submission; keys: Bindings }) {
	return (
		<div class="row tight" role="toolbar" aria-label={words.submission.submission}>
			{may('write') && !row.isPending && (
				<>
					{FLAG_BUTTONS.filter((name) => !(row.isSpam && FLAG_LOOKS[name].isNotOfSpam)).map((name) => (
						<FlagButton key={name} name={name} isOn={row[name]} isOfOne onClick={keys[FLAG_LOOKS[name].hotkey]} />
					))}
					{!row.isSpam && <IconButton icon="check" label={words.inbox.genuine} hotkey="+" onClick={keys['+']} />}
				</>
			)}
			{may('delete') && (
				<IconButton icon="trash" label={words.inbox.remove} hotkey="#" tone="danger" onClick={keys['#']} />
			)}
		</div>
	);
}

function Bar({ inbox, query, id, keys }: Props) {
	const rows = inbox.rows.value;
	const at = rows.findIndex((row) => row.id === id);
	const row = inbox.current.value;
	return (
		<header class="detail-bar row">
			<IconLink
				icon="back"
				label={words.submission.backToList}
				hotkey={words.submission.escapeKey}
				href={to.inbox(inbox.formId, query)}
			/>
			{row && <Actions row={row} keys={keys} />}
			<div class="row tight end">
				<IconButton icon="up" label={words.submission.previous} hotkey="k" disabled={at <= 0} onClick={keys.k} />
				<IconButton
					icon="down"
					label={words.submission.next}
					hotkey="j"
					disabled={at >= rows.length - 1}
					onClick={keys.j}
				/>
			</div>
		</header>
	);
}

/** Pictures wait for the virus scanner, and a list may be older than what it has found. */
function useScanResults(inbox: Inbox, { id, files }: Submission): void {
	const isUnchecked = files.some(({ scan, isKept }) => scan === 'unchecked' && isKept !== false);
	const refresh = () => inbox.refreshFiles(id).catch(() => {});
	useEffect(() => {
		if (isUnchecked) void refresh();
	}, [id]);
	useLiveEvents((event) => {
		const mayBeDone = event.type === 'resumed' || (event.type === 'change' && event.formId === inbox.formId);
		if (isUnchecked && mayBeDone) void refresh();
	});
}

function Body({ inbox, row }: RowProps) {
	const heading = useRef<HTMLHeadingElement>(null);
	const reply = replyAddress(row.data);
	const subject = encodeURIComponent(words.submission.replySubject(formOf(inbox.formId)?.name));
	useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [row.id]);
	useScanResults(inbox, row);
	return (
		<div class="detail-scroll stack">
			<div class="detail-head spread wrap">
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
					<div class="row tight">
						<a class="button" href={`mailto:${encodeURIComponent(reply)}?subject=${subject}`} rel="noopener noreferrer">
							<Icon name="mail" />
							{words.submission.reply}
						</a>
						{may('write') && !session.value?.form && <BlockMenu inbox={inbox} row={row} address={reply} />}
					</div>
				)}
			</div>
			{row.damaged && <p class="muted">{words.submission.isDamaged}</p>}
			<Verdict form={inbox.formId} row={row} />
			<FieldList form={inbox.formId} data={row.data} files={row.files} />
			<OwnWords key={row.id} inbox={inbox} row={row} />
			<Files form={inbox.formId} submission={row.id} files={row.files} />
			<Context meta={row.meta} />
			{may('admin') && <SubmissionDeliveries key={row.id} form={inbox.formId} submission={row.id} />}
		</div>
	);
}

function Absent({ inbox, id, keys }: Props) {
	const error = inbox.failure.value;
	if (error === undefined) return <Loading />;
	if (!isGone(error)) return <LoadFailure error={error} onRetry={() => inbox.open(id)} />;
	return (
		<EmptyState icon="trash" title={words.submission.isGone}>
			<LeftTexts submission={id} />
			<Button label={words.submission.backToList} onClick={keys.Escape} />
		</EmptyState>
	);
}

export function SubmissionDetail(props: Props) {
	const { inbox, id } = props;
	const row = inbox.current.value;
	const isShown = row?.id === id;
	const isUnread = isShown && !row.isRead;
	useEffect(() => {
		if (isUnread && may('write') && row) void setFlags(inbox, [row], { isRead: true });
	}, [isShown && id]);
	return (
		<article class="detail" aria-label={words.submission.submission}>
			<Bar {...props} />
			{isShown ? <Body inbox={inbox} row={row} /> : <Absent {...props} />}
		</article>
	);
}
