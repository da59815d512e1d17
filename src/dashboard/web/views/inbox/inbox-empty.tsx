/** The empty inbox: nothing yet, nothing left, or nothing found. */

import { EmptyState } from '../../components/messages.tsx';
import { isNarrowed } from '../../inbox-query.ts';
import { type InboxQuery, to } from '../../router.ts';
import { formOf } from '../../state/forms.ts';

export function InboxEmpty({ form: id, query }: { form: string; query: InboxQuery }) {
	const form = formOf(id);
	if (isNarrowed(query)) {
		return (
			<EmptyState icon="search" title="Nothing found">
				<p>No submission matches these words and dates. Parts of words match, too.</p>
				<a class="button" href={to.inbox(id, { filter: query.filter })}>
					Clear the search
				</a>
			</EmptyState>
		);
	}
	if (query.filter === 'unread') return <EmptyState icon="check" title="All read" />;
	if (query.filter === 'starred') {
		return (
			<EmptyState icon="star" title="Nothing starred">
				<p>
					Star what you want to come back to: <kbd>s</kbd> on an open submission.
				</p>
			</EmptyState>
		);
	}
	if (query.filter === 'spam') {
		return (
			<EmptyState icon="ban" title="No spam">
				<p>Submissions that fill in the honeypot or fail the captcha appear here, without a notification.</p>
			</EmptyState>
		);
	}
	return (
		<EmptyState icon="inbox" title="Waiting for the first submission">
			<p>
				{form && !form.isActive
					? 'This form is paused: it rejects submissions until you activate it in its settings.'
					: 'Put the form on a website; submissions appear here as they arrive.'}
			</p>
			<a class="button primary" href={to.connect(id)}>
				Connect a website
			</a>
		</EmptyState>
	);
}
