/** The inbox of a form: toolbar, list and the open submission side by side. */

import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { announce, useTitle } from '../announce.ts';
import { LoadFailure, Loading } from '../components/messages.tsx';
import { FormHead, NotFound } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { PAGE_SIZE } from '../inbox-query.ts';
import { navigate, replaceAddress } from '../location.ts';
import { to } from '../router.ts';
import * as words from '../sentences/words.ts';
import { useShortcuts } from '../shortcuts.ts';
import { formOf, forms, unreadIn } from '../state/forms.ts';
import { createInbox, type Inbox, type InboxProps } from '../state/inbox.ts';
import { useLiveEvents } from '../state/live.ts';
import { isPhone } from '../state/viewport.ts';
import { useFirstScreen } from '../use-first-screen.ts';
import { BulkBar } from './inbox/bulk-bar.tsx';
import { InboxEmpty } from './inbox/inbox-empty.tsx';
import { focusRow, inboxKeys, type Place } from './inbox/inbox-keys.ts';
import { InboxToolbar } from './inbox/inbox-toolbar.tsx';
import { SubmissionList } from './inbox/submission-list.tsx';
import { SubmissionTable } from './inbox/submission-table.tsx';
import { SubmissionDetail } from './submission-detail.tsx';

function useInbox({ form, submission, query }: Place): Inbox {
	const inbox = useMemo(() => createInbox(form), [form]);
	const key = JSON.stringify(query);
	// Requests the page before the frame is painted, not after.
	useLayoutEffect(() => inbox.show(JSON.parse(key)), [inbox, key]);
	useEffect(() => inbox.close, [inbox]);
	useEffect(() => {
		void inbox.open(submission);
	}, [inbox, submission]);
	useLiveEvents((event) => {
		if (inbox.handleEvent(event)) announce(words.inbox.hasArrived(formOf(form)?.name));
	});
	return inbox;
}

/** Closing a submission returns the focus to its row; a new query starts at the top of the list. */
function useInboxFocus({ submission, query }: Place): void {
	const last = useRef(submission);
	const part = JSON.stringify(query);
	const lastPart = useRef(part);
	useEffect(() => {
		if (submission === null && last.current !== null) focusRow(last.current);
		last.current = submission;
	}, [submission]);
	useEffect(() => {
		if (lastPart.current === part) return;
		lastPart.current = part;
		// Either scrolls, by the height of the window.
		for (const pane of document.querySelectorAll('#main, .inbox-scroll')) pane.scrollTo(0, 0);
	}, [part]);
}

function Arrivals({ inbox, query }: InboxProps) {
	const count = inbox.arrivals.value;
	if (count === 0) return null;
	const show = () => {
		if (query.page === 1 && query.order === 'desc') void inbox.reload();
		else navigate(to.inbox(inbox.formId, { ...query, page: 1, order: 'desc' }));
	};
	return (
		<button type="button" class="arrivals" onClick={show}>
			{words.inbox.arrivals(count)}
		</button>
	);
}

const ROWS_ON_A_SCREEN = 20;

/** Stays mounted while table and list alternate, so that the scroll position survives opening a submission. */
function Page({ inbox, query, isNarrow }: InboxProps & { isNarrow: boolean }) {
	const rows = useFirstScreen(inbox.rows.value, ROWS_ON_A_SCREEN);
	const Submissions = isNarrow || isPhone.value ? SubmissionList : SubmissionTable;
	return <Submissions inbox={inbox} query={query} rows={rows} />;
}

/** No rows where there are some on other pages: the page was emptied, and is filled up, or gives way to the last one. */
function Emptied({ inbox, query, submission }: InboxProps & Pick<Place, 'submission'>) {
	const last = Math.ceil(inbox.total.value / PAGE_SIZE);
	const isPast = query.page > last;
	useEffect(() => {
		if (!isPast) return;
		const there = { ...query, page: last };
		const { formId } = inbox;
		// One that is open stays open.
		replaceAddress(submission === null ? to.inbox(formId, there) : to.submission(formId, submission, there));
	}, [isPast, last, submission]);
	return <Loading />;
}

function Rows({ inbox, query, submission }: InboxProps & Pick<Place, 'submission'>) {
	if (inbox.error.value !== undefined && inbox.page.value === undefined) {
		return <LoadFailure error={inbox.error.value} onRetry={inbox.reload} />;
	}
	if (inbox.page.value === undefined) return <Loading />;
	if (inbox.rows.value.length === 0 && inbox.total.value > 0) {
		return <Emptied inbox={inbox} query={query} submission={submission} />;
	}
	if (inbox.rows.value.length === 0) return <InboxEmpty form={inbox.formId} query={query} />;
	return (
		<>
			<Page inbox={inbox} query={query} isNarrow={submission !== null} />
			<Pager
				// Requests ask for a few spare rows in place of hidden ones; page numbers use PAGE_SIZE.
				pagination={{ ...inbox.page.value.pagination, limit: PAGE_SIZE }}
				addressOf={(page) => to.inbox(inbox.formId, { ...query, page })}
			/>
		</>
	);
}

export function InboxView(props: Place) {
	const { form, submission, query } = props;
	const inbox = useInbox(props);
	const known = formOf(form);
	const unread = unreadIn(known);
	useTitle(`${unread > 0 ? `(${unread}) ` : ''}${known?.name ?? words.frame.inboxTab}`);
	useInboxFocus(props);
	const keys = inboxKeys(inbox, props);
	useShortcuts(keys);
	if (forms.value !== undefined && known === undefined) return <NotFound />;
	const isOpen = submission !== null;
	return (
		<div class={isOpen ? 'form-view inbox open' : 'form-view inbox'}>
			<FormHead form={form} />
			<div class="inbox-panes">
				<section class="inbox-list" aria-label={words.inbox.submissions} aria-busy={inbox.isLoading.value}>
					<InboxToolbar inbox={inbox} query={query} isNarrow={isOpen || isPhone.value} />
					<BulkBar inbox={inbox} query={query} />
					<Arrivals inbox={inbox} query={query} />
					<div class="inbox-scroll">
						<Rows inbox={inbox} query={query} submission={submission} />
					</div>
				</section>
				{isOpen && <SubmissionDetail inbox={inbox} query={query} id={submission} keys={keys} />}
			</div>
		</div>
	);
}
