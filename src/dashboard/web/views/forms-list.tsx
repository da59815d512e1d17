/** All forms of the mode with their counts, and a field that creates one. */

import { useState } from 'preact/hooks';
import { roughSize } from '../../../text/byte-sizes.ts';
import { formatCount, plural } from '../../../text/plural.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { EmptyState } from '../components/messages.tsx';
import { Page } from '../components/page.tsx';
import { Sparkline } from '../components/sparkline.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { errorOfOnly } from '../field-errors.ts';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import { forms, putForm } from '../state/forms.ts';
import { may, session } from '../state/session.ts';
import { useAction } from '../use-action.ts';
import { useQuery } from '../use-query.ts';

const DAYS = 30;

function NewForm() {
	const [name, setName] = useState('');
	const { run, isBusy, error, clearError } = useAction(async () => {
		if (name.trim() === '') throw new Error('Give the form a name, such as “Contact”.');
		const form = await api.forms.create({ name: name.trim() });
		putForm(form);
		navigate(to.connect(form.id));
	});
	const reason = errorOfOnly(error, 'name');
	return (
		<form class="new-form row wrap" onSubmit={run} aria-label="New form">
			<input
				class="input"
				aria-label="Name of the new form"
				aria-invalid={reason ? true : undefined}
				aria-describedby={reason && 'new-form-error'}
				placeholder="Name of a new form"
				maxLength={200}
				value={name}
				onInput={(event) => {
					setName(event.currentTarget.value);
					clearError();
				}}
			/>
			<Button label="Create form" icon="plus" type="submit" look="primary" disabled={isBusy} />
			{reason && (
				<p class="field-error" id="new-form-error" role="alert">
					{reason}
				</p>
			)}
		</form>
	);
}

/** The submissions of each day, in the order of the days. */
function Recent({ counts }: { counts: number[] }) {
	const sum = counts.reduce((total, count) => total + count, 0);
	return <Sparkline counts={counts} label={`${plural(sum, 'submission')} in the last ${DAYS} days`} />;
}

function FormsTable({ list, stats }: { list: Form[]; stats: Record<string, number[]> | undefined }) {
	const columns: Column<Form>[] = [
		{
			head: 'Form',
			cell: ({ id, name, slug }) => (
				<>
					<a class="row-link" href={to.inbox(id)}>
						<bdi>{name}</bdi>
					</a>
					<span class="muted mono small">/f/{slug}</span>
				</>
			),
		},
		{
			head: 'State',
			class: 'col-wide',
			cell: ({ isActive }) => <span class={isActive ? 'chip good' : 'chip'}>{isActive ? 'Active' : 'Paused'}</span>,
		},
		{
			head: `Last ${DAYS} days`,
			class: 'col-wide col-spark',
			cell: ({ id }) => stats && <Recent counts={stats[id] ?? new Array(DAYS).fill(0)} />,
		},
		{
			head: 'Unread',
			class: 'number',
			cell: ({ unreadCount }) => <span class={unreadCount > 0 ? 'count' : 'muted'}>{formatCount(unreadCount)}</span>,
		},
		{ head: 'All', class: 'number', cell: ({ submissionCount }) => formatCount(submissionCount) },
		{
			head: 'Files',
			class: 'number col-wide',
			cell: ({ fileBytes }) => <span class="muted">{fileBytes > 0 ? roughSize(fileBytes) : '–'}</span>,
		},
		{ head: 'Created', class: 'col-wide muted', cell: ({ createdAt }) => <Time iso={createdAt} /> },
	];
	return (
		<Table
			name="Forms"
			class="forms-table"
			columns={columns}
			rows={list}
			rowClass={({ isActive }) => (isActive ? '' : 'paused')}
		/>
	);
}

export function FormsList() {
	const list = forms.value;
	const stats = useQuery('stats', () => api.forms.stats(DAYS));
	const isTest = session.value?.mode === 'test';
	return (
		<Page
			title="Forms"
			intro={
				isTest
					? 'Test forms work like live ones, but their mails and webhooks are captured instead of sent.'
					: undefined
			}
		>
			{may('write') && <NewForm />}
			{list?.length === 0 && (
				<EmptyState icon="forms" title={isTest ? 'No test forms yet' : 'No forms yet'}>
					<p>
						Name one above. You get an address that any website can post to, and snippets to copy; what people send
						arrives here while you watch.
					</p>
				</EmptyState>
			)}
			{list && list.length > 0 && <FormsTable list={list} stats={stats.data?.forms} />}
		</Page>
	);
}
