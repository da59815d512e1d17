/** The empty inbox: nothing yet, nothing left, or nothing found. */

import type { ComponentChildren } from 'preact';
import type { IconName } from '../../components/icon.tsx';
import { EmptyState } from '../../components/messages.tsx';
import { isNarrowed } from '../../inbox-query.ts';
import { type InboxQuery, type Tab, to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import { formOf } from '../../state/forms.ts';

const EMPTY: Record<Exclude<Tab, 'all'>, { icon: IconName; title: string; hint?: ComponentChildren }> = {
	unread: { icon: 'check', title: words.inbox.allRead },
	starred: { icon: 'star', title: words.inbox.nothingStarred, hint: words.inbox.nothingStarredHint(<kbd>s</kbd>) },
	spam: { icon: 'ban', title: words.inbox.noSpam, hint: words.inbox.noSpamHint },
	pending: { icon: 'mail', title: words.inbox.nothingPending, hint: words.inbox.nothingPendingHint },
	archived: {
		icon: 'archive',
		title: words.inbox.nothingArchived,
		hint: words.inbox.nothingArchivedHint(<kbd>a</kbd>),
	},
};

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
	if (query.filter !== 'all') {
		const { icon, title, hint } = EMPTY[query.filter];
		return (
			<EmptyState icon={icon} title={title}>
				{hint && <p>{hint}</p>}
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
