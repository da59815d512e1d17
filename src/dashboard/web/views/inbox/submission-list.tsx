/** The submissions of a page as a narrow list: beside an open submission, and on phones. */

import type { Submission } from '../../api-types.ts';
import { Time } from '../../components/time.tsx';
import { type InboxQuery, to } from '../../router.ts';
import type { Inbox } from '../../state/inbox.ts';
import { summarise } from '../../summary.ts';
import { SelectBox, StarButton } from './row-controls.tsx';

interface Props {
	inbox: Inbox;
	query: InboxQuery;
}

function Item({ inbox, query, row }: Props & { row: Submission }) {
	const { title, snippet } = summarise(row.data);
	const isOpen = inbox.current.value?.id === row.id;
	const classes = [
		'item',
		row.isRead ? '' : 'unread',
		inbox.selected.value.has(row.id) ? 'selected' : '',
		inbox.fresh.value.has(row.id) ? 'fresh' : '',
	];
	return (
		<li class={classes.filter(Boolean).join(' ')}>
			<SelectBox inbox={inbox} row={row} />
			<a
				class="item-link row-link"
				data-id={row.id}
				href={to.submission(inbox.formId, row.id, query)}
				aria-current={isOpen ? 'true' : undefined}
			>
				<span class="item-head">
					<span class="item-title">
						{!row.isRead && <span class="visually-hidden">Unread: </span>}
						<bdi>{title}</bdi>
					</span>
					<Time iso={row.createdAt} />
				</span>
				<span class="item-snippet">
					<bdi>{snippet}</bdi>
				</span>
			</a>
			<StarButton inbox={inbox} row={row} />
		</li>
	);
}

export function SubmissionList({ inbox, query, rows }: Props & { rows: readonly Submission[] }) {
	return (
		<ul class="items">
			{rows.map((row) => (
				<Item key={row.id} inbox={inbox} query={query} row={row} />
			))}
		</ul>
	);
}
