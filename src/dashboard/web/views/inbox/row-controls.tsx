/** The controls of a row: select and star. */

import type { Submission } from '../../api-types.ts';
import { IconButton } from '../../components/buttons.tsx';
import * as words from '../../sentences/words.ts';
import type { Inbox, RowProps } from '../../state/inbox.ts';
import { setFlags } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';
import { summarise } from '../../summary.ts';

export function classOf({ selected, fresh }: Inbox, { id, isRead }: Submission): string {
	const names = [!isRead && 'unread', selected.value.has(id) && 'selected', fresh.value.has(id) && 'fresh'];
	return names.filter(Boolean).join(' ');
}

interface TickProps {
	name: string;
	isTicked: boolean;
	isPartly?: boolean;
	onChange: () => void;
}

function Tick({ name, isTicked, isPartly, onChange }: TickProps) {
	if (!may('write') && !may('delete')) return null;
	return (
		<label class="tick">
			<input type="checkbox" checked={isTicked} indeterminate={isPartly} onChange={onChange} />
			<span class="visually-hidden">{words.inbox.select(name)}</span>
		</label>
	);
}

export function SelectBox({ inbox, row }: RowProps) {
	const isTicked = inbox.selected.value.has(row.id);
	return <Tick name={summarise(row.data).title} isTicked={isTicked} onChange={() => inbox.toggleSelected(row.id)} />;
}

export function SelectPageBox({ inbox }: { inbox: Inbox }) {
	const count = inbox.selected.value.size;
	const isAll = count > 0 && count === inbox.rows.value.length;
	const toggle = () => inbox.selectPage(!isAll);
	return <Tick name={words.inbox.thisPage} isTicked={isAll} isPartly={count > 0 && !isAll} onChange={toggle} />;
}

export function StarButton({ inbox, row }: RowProps) {
	return (
		<IconButton
			icon="star"
			label={words.inbox.starOf(summarise(row.data).title)}
			tone="star"
			isFilled={row.isStarred}
			aria-pressed={row.isStarred}
			disabled={!may('write')}
			onClick={() => void setFlags(inbox, [row], { isStarred: !row.isStarred })}
		/>
	);
}
