/** The query of the inbox: filters with counts, search, dates; and columns, export. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { FILTERS, type Filter, type Form } from '../../api-types.ts';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Menu } from '../../components/menu.tsx';
import { formatCount } from '../../format.ts';
import { isNarrowed } from '../../inbox-query.ts';
import { replaceAddress } from '../../location.ts';
import { type InboxQuery, to } from '../../router.ts';
import { formOf } from '../../state/forms.ts';
import type { Inbox } from '../../state/inbox.ts';
import { ExportDialog } from '../export-dialog.tsx';
import { ColumnsMenu } from './columns-menu.tsx';

const NAMES: Record<Filter, string> = { all: 'All', unread: 'Unread', starred: 'Starred', spam: 'Spam' };
const TYPING_MS = 200;

function countOf(form: Form | undefined, filter: Filter): number | undefined {
	const counts = {
		all: form?.submissionCount,
		unread: form?.unreadCount,
		starred: form?.starredCount,
		spam: form?.spamCount,
	};
	return counts[filter];
}

function Filters({ form: id, query }: { form: string; query: InboxQuery }) {
	const form = formOf(id);
	return (
		<nav class="filters" aria-label="Filter">
			{FILTERS.map((filter) => {
				const count = countOf(form, filter);
				return (
					<a
						key={filter}
						href={to.inbox(id, { ...query, filter, page: 1 })}
						aria-current={filter === query.filter ? 'true' : undefined}
					>
						{NAMES[filter]}
						{count !== undefined && count > 0 && <span class="filter-count">{formatCount(count)}</span>}
					</a>
				);
			})}
		</nav>
	);
}

function Search({ form, query }: { form: string; query: InboxQuery }) {
	const [text, setText] = useState(query.search);
	const latest = useRef(query);
	latest.current = query;
	useEffect(() => setText(query.search), [query.search]);
	useEffect(() => {
		if (text === latest.current.search) return;
		const timer = setTimeout(
			() => replaceAddress(to.inbox(form, { ...latest.current, search: text, page: 1 })),
			TYPING_MS,
		);
		return () => clearTimeout(timer);
	}, [form, text]);
	return (
		<search class="search">
			<Icon name="search" />
			<input
				id="inbox-search"
				type="search"
				aria-label="Search submissions"
				placeholder="Search"
				maxLength={200}
				value={text}
				onInput={(event) => setText(event.currentTarget.value)}
				onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
			/>
		</search>
	);
}

function Dates({ form, query }: { form: string; query: InboxQuery }) {
	const set = (change: Partial<InboxQuery>) => replaceAddress(to.inbox(form, { ...query, ...change, page: 1 }));
	const isSet = query.from !== '' || query.to !== '';
	return (
		<Menu
			buttonClass={isSet ? 'button small active' : 'button small'}
			label={
				<>
					<Icon name="calendar" />
					<span class="visually-hidden">{isSet ? 'Dates: ' : ''}</span>
					<span>{isSet ? `${query.from || '…'} – ${query.to || '…'}` : 'Dates'}</span>
				</>
			}
		>
			<div class="stack">
				<Field label="From" type="date" value={query.from} onInput={(from) => set({ from })} />
				<Field label="To" type="date" value={query.to} onInput={(day) => set({ to: day })} />
				<button type="button" class="button small" onClick={() => set({ from: '', to: '' })} disabled={!isSet}>
					Any time
				</button>
			</div>
		</Menu>
	);
}

interface Props {
	inbox: Inbox;
	query: InboxQuery;
	isNarrow: boolean;
}

export function InboxToolbar({ inbox, query, isNarrow }: Props) {
	const [isExporting, setExporting] = useState(false);
	const { formId } = inbox;
	return (
		<div class={isNarrow ? 'toolbar narrow' : 'toolbar'}>
			<Filters form={formId} query={query} />
			<div class="toolbar-tools">
				<Search form={formId} query={query} />
				<Dates form={formId} query={query} />
				{!isNarrow && <ColumnsMenu inbox={inbox} />}
				<IconButton icon="download" label="Export" onClick={() => setExporting(true)} />
			</div>
			{isNarrowed(query) && (
				<p class="toolbar-note" role="status">
					{formatCount(inbox.total.value)} found
					<a href={to.inbox(formId, { filter: query.filter })}>Clear</a>
				</p>
			)}
			{isExporting && (
				<ExportDialog form={formId} query={query} total={inbox.total.value} onClose={() => setExporting(false)} />
			)}
		</div>
	);
}
