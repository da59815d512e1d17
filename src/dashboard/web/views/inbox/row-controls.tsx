/** The controls of a row: select and star. */

import type { Submission } from '../../api-types.ts';
import { Icon } from '../../components/icon.tsx';
import type { Inbox } from '../../state/inbox.ts';
import { setFlags } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';
import { summarise } from '../../summary.ts';

interface Props {
	inbox: Inbox;
	row: Submission;
}

const maySelect = () => may('write') || may('delete');

export function SelectBox({ inbox, row }: Props) {
	if (!maySelect()) return null;
	return (
		<label class="tick">
			<input type="checkbox" checked={inbox.selected.value.has(row.id)} onChange={() => inbox.toggleSelected(row.id)} />
			<span class="visually-hidden">Select {summarise(row.data).title}</span>
		</label>
	);
}

/** Selects or clears the whole page. */
export function SelectPageBox({ inbox }: { inbox: Inbox }) {
	if (!maySelect()) return null;
	const count = inbox.selected.value.size;
	const isAll = count > 0 && count === inbox.rows.value.length;
	return (
		<label class="tick">
			<input
				type="checkbox"
				checked={isAll}
				indeterminate={count > 0 && !isAll}
				onChange={() => inbox.selectPage(!isAll)}
			/>
			<span class="visually-hidden">Select this page</span>
		</label>
	);
}

export function StarButton({ inbox, row }: Props) {
	return (
		<button
			type="button"
			class="icon-button star"
			aria-pressed={row.isStarred}
			aria-label={`Star ${summarise(row.data).title}`}
			disabled={!may('write')}
			onClick={() => void setFlags(inbox, [row], { isStarred: !row.isStarred })}
		>
			<Icon name="star" filled={row.isStarred} />
		</button>
	);
}
