/** The query of the inbox: filters with counts, search, dates; and columns, export. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { TABS } from '../../../../forms/kinds/views.ts';
import { WORD_LISTS, type WordList } from '../../../../storage/owned.ts';
import { formatCount } from '../../../../text/plural.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { Field, Ticks } from '../../components/inputs.tsx';
import { Menu } from '../../components/menu.tsx';
import { fetchViews } from '../../fetch-views.ts';
import { countIn, isNarrowed } from '../../inbox-query.ts';
import { replaceAddress } from '../../location.ts';
import { type InboxQuery, to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import { columnsFor, rememberColumns } from '../../state/columns.ts';
import { fieldLabels, formOf } from '../../state/forms.ts';
import type { Inbox, InboxProps } from '../../state/inbox.ts';
import { showError } from '../../state/toasts.ts';
import type { ExportDialog } from '../export-dialog.tsx';
import { Views } from './views-menu.tsx';

const TYPING_MS = 200;

function Filters({ form: id, query }: { form: string; query: InboxQuery }) {
	const form = formOf(id);
	return (
		<nav class="filters" aria-label={words.inbox.filter}>
			{TABS.map((filter) => {
				const count = countIn(filter, form);
				// Few forms have visitors confirm their address.
				if (filter === 'pending' && !form?.confirm && count === 0 && query.filter !== filter) return null;
				return (
					<a
						key={filter}
						href={to.inbox(id, { ...query, filter, page: 1 })}
						aria-current={filter === query.filter ? 'true' : undefined}
					>
						{words.inbox.filters[filter]}
						{count > 0 && <span class="filter-count">{formatCount(count)}</span>}
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
	/** The search that was typed here: when it arrives in the address, more may have been typed. */
	const typed = useRef(query.search);
	useEffect(() => {
		if (query.search !== typed.current) setText(query.search);
		typed.current = query.search;
	}, [query.search]);
	useEffect(() => {
		if (text === latest.current.search) return;
		const timer = setTimeout(() => {
			typed.current = text;
			replaceAddress(to.inbox(form, { ...latest.current, search: text, page: 1 }));
		}, TYPING_MS);
		return () => clearTimeout(timer);
	}, [form, text]);
	return (
		<search class="search">
			<Icon name="search" />
			<input
				id="inbox-search"
				type="search"
				aria-label={words.inbox.searchSubmissions}
				placeholder={words.inbox.search}
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
					<span class="visually-hidden">{isSet ? words.inbox.datesAre : ''}</span>
					<span class="tool-name">{isSet ? words.inbox.datesFromTo(query.from, query.to) : words.inbox.dates}</span>
				</>
			}
		>
			<div class="stack">
				<Field label={words.controls.fromDay} type="date" value={query.from} onInput={(from) => set({ from })} />
				<Field label={words.controls.toDay} type="date" value={query.to} onInput={(day) => set({ to: day })} />
				<Button look="small" label={words.inbox.anyTime} onClick={() => set({ from: '', to: '' })} disabled={!isSet} />
			</div>
		</Menu>
	);
}

/** The words of a list that the page has, to show those alone that have one. */
function Words({ inbox, query, list }: InboxProps & { list: WordList }) {
	const chosen = query[list.one];
	const known = [...new Set([...(chosen ? [chosen] : []), ...inbox.wordsIn(list.name)])];
	if (known.length === 0) return null;
	const address = (word: string) => to.inbox(inbox.formId, { ...query, [list.one]: word, page: 1 });
	return (
		<Menu
			name={chosen ? words.inbox.wordIs(list, chosen) : words.inbox.wordList(list)}
			buttonClass={chosen ? 'button small active' : 'button small'}
			label={
				<>
					<Icon name="tag" />
					<bdi class="clip tool-name">{chosen || words.inbox.wordList(list)}</bdi>
				</>
			}
		>
			<nav class="stack menu-links" aria-label={words.inbox.wordList(list)}>
				{known.map((word) => (
					<a key={word} href={address(word)} aria-current={word === chosen ? 'true' : undefined}>
						<bdi>{word}</bdi>
					</a>
				))}
				{chosen && <a href={address('')}>{words.inbox.anyWord(list)}</a>}
			</nav>
		</Menu>
	);
}

/** Chooser for the fields that are columns of the table. */
function Columns({ inbox }: { inbox: Inbox }) {
	const fields = inbox.page.value?.fields ?? [];
	if (fields.length < 2) return null;
	const labelOf = fieldLabels(inbox.formId);
	const chosen = columnsFor(inbox.formId, fields);
	return (
		<Menu name={words.controls.columns} buttonClass="icon-button" label={<Icon name="columns" />}>
			<Ticks
				legend={words.controls.columns}
				options={fields.map((value) => ({ value, label: labelOf(value) }))}
				chosen={chosen}
				// The last one stays, and is drawn as ticked again.
				onChange={(names) => rememberColumns(inbox.formId, names.length > 0 ? names : chosen)}
			/>
		</Menu>
	);
}

export function InboxToolbar({ inbox, query, isNarrow }: InboxProps & { isNarrow: boolean }) {
	const [Export, setExport] = useState<typeof ExportDialog>();
	const { formId } = inbox;
	const openExport = () =>
		fetchViews()
			.then((views) => setExport(() => views.ExportDialog))
			.catch(showError);
	return (
		<div class={isNarrow ? 'toolbar row wrap narrow' : 'toolbar row wrap'}>
			<Filters form={formId} query={query} />
			<div class="toolbar-tools row">
				<Search form={formId} query={query} />
				<Views form={formId} query={query} />
				{WORD_LISTS.map((list) => (
					<Words key={list.name} {...{ inbox, query, list }} />
				))}
				<Dates form={formId} query={query} />
				{!isNarrow && <Columns inbox={inbox} />}
				<IconButton icon="download" label={words.controls.exportThem} onClick={openExport} />
			</div>
			{isNarrowed(query) && (
				<p class="toolbar-note row small muted" role="status">
					{words.inbox.found(inbox.total.value)}
					<a href={to.inbox(formId, { filter: query.filter })}>{words.inbox.clear}</a>
				</p>
			)}
			{Export && (
				<Export
					form={formId}
					fields={inbox.page.value?.fields ?? []}
					query={query}
					total={inbox.total.value}
					onClose={() => setExport(undefined)}
				/>
			)}
		</div>
	);
}
