/** The empty inbox: nothing yet, nothing left, or nothing found. */

import { EmptyState } from '../../components/messages.tsx';
import { isNarrowed } from '../../inbox-query.ts';
import { type InboxQuery, to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import { formOf } from '../../state/forms.ts';

export function InboxEmpty({ form: id, query }: { form: string; query: InboxQuery }) {
	const form = formOf(id);
	if (isNarrowed(query)) {
		return (
			<EmptyState icon="search" title={words.inbox.nothingFound}>
				<p>{words.inbox.nothingFoundHint}</p>
				<a class="button" href={to.inbox(id, { filter: query.filter })}>
					{words.inbox.clearSearch}
				</a>
			</EmptyState>
		);
	}
	if (query.filter === 'unread') return <EmptyState icon="check" title={words.inbox.allRead} />;
	if (query.filter === 'archived') {
		return (
			<EmptyState icon="archive" title={words.inbox.nothingArchived}>
				<p>{words.inbox.nothingArchivedHint(<kbd>a</kbd>)}</p>
			</EmptyState>
		);
	}
	if (query.filter === 'starred') {
		return (
			<EmptyState icon="star" title={words.inbox.nothingStarred}>
				<p>{words.inbox.nothingStarredHint(<kbd>s</kbd>)}</p>
			</EmptyState>
		);
	}
	if (query.filter === 'spam') {
		return (
			<EmptyState icon="ban" title={words.inbox.noSpam}>
				<p>{words.inbox.noSpamHint}</p>
			</EmptyState>
		);
	}
	if (query.filter === 'pending') {
		return (
			<EmptyState icon="mail" title={words.inbox.nothingPending}>
				<p>{words.inbox.nothingPendingHint}</p>
			</EmptyState>
		);
	}
	if (form && form.archivedCount > 0) return <EmptyState icon="check" title={words.inbox.allArchived} />;
	return (
		<EmptyState icon="inbox" title={words.inbox.waiting}>
			<p>{form && !form.isActive ? words.inbox.waitingPaused : words.inbox.waitingHint}</p>
			<a class="button primary" href={to.connect(id)}>
				{words.inbox.connect}
			</a>
		</EmptyState>
	);
}
