/** The submissions of a page as a narrow list: beside an open submission, and on phones. */

import type { Submission } from '../../api-types.ts';
import { to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import type { InboxProps } from '../../state/inbox.ts';
import { summarise } from '../../summary.ts';
import { classOf, SelectBox, StarButton } from './row-controls.tsx';
import { RowSigns, RowWords } from './row-signs.tsx';

function Item({ inbox, query, row }: InboxProps & { row: Submission }) {
	const { title, snippet } = summarise(row.data);
	const isOpen = inbox.current.value?.id === row.id;
	return (
		<li class={`item ${classOf(inbox, row)}`}>
			<SelectBox inbox={inbox} row={row} />
			<a
				class="item-link row-link"
				data-id={row.id}
				href={to.submission(inbox.formId, row.id, query)}
				aria-current={isOpen ? 'true' : undefined}
			>
				<span class="item-head">
					<span class="item-title clip">
						{!row.isRead && <span class="visually-hidden">{words.inbox.unreadRow}</span>}
						<bdi>{title}</bdi>
					</span>
					<RowSigns row={row} />
				</span>
				<span class="item-snippet clip small muted">
					<RowWords row={row} />
					<bdi>{snippet}</bdi>
				</span>
			</a>
			<StarButton inbox={inbox} row={row} />
		</li>
	);
}

export function SubmissionList({ inbox, query, rows }: InboxProps & { rows: readonly Submission[] }) {
	return (
		<ul class="items">
			{rows.map((row) => (
				<Item key={row.id} inbox={inbox} query={query} row={row} />
			))}
		</ul>
	);
}
