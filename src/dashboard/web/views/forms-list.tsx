/** All forms of the mode: what has come in, what fails, what ends soon; and a field that creates one. */

import { useEffect, useMemo } from 'preact/hooks';
import { FAILED_MAX } from '../../../submissions/stats/bounds.ts';
import { DAY_MS } from '../../../tasks/durations.ts';
import { roughSize } from '../../../text/byte-sizes.ts';
import { formatCount } from '../../../text/plural.ts';
import * as api from '../api.ts';
import type { AllStats, Form } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { EmptyState } from '../components/messages.tsx';
import { Page } from '../components/page.tsx';
import { Sparkline } from '../components/sparkline.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { errorOfOnly } from '../field-errors.ts';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import * as words from '../sentences/words.ts';
import { now } from '../state/clock.ts';
import { useKeptText } from '../state/draft.ts';
import { addForm, forms, unreadIn } from '../state/forms.ts';
import { useLiveEvents } from '../state/live.ts';
import { may, session } from '../state/session.ts';
import { createThrottle } from '../throttle.ts';
import { useAction } from '../use-action.ts';
import { useQuery } from '../use-query.ts';
import { openingOf } from './form-opening.ts';

const DAYS = 30;
const REFRESH_MS = 2000;

function NewForm() {
	const [name, setName] = useKeptText('newForm');
	const { run, isBusy, error, clearError } = useAction(async () => {
		if (name.trim() === '') throw new Error(words.forms.noName);
		const form = await api.forms.create({ name: name.trim() });
		setName('');
		await addForm(form);
		navigate(to.connect(form.id));
	});
	const reason = errorOfOnly(error, 'name');
	return (
		<form class="new-form row wrap" onSubmit={run} aria-label={words.forms.newForm}>
			<input
				class="input"
				aria-label={words.forms.newName}
				aria-invalid={reason ? true : undefined}
				aria-describedby={reason && 'new-form-error'}
				placeholder={words.forms.newNameHint}
				maxLength={200}
				value={name}
				onInput={(event) => {
					setName(event.currentTarget.value);
					clearError();
				}}
			/>
			<Button label={words.forms.create} icon="plus" type="submit" look="primary" disabled={isBusy} />
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
	return <Sparkline counts={counts} label={words.forms.inLastDays(sum, DAYS)} />;
}

function Opening({ form }: { form: Form }) {
	const { state, isOpen, soon } = openingOf(form, now.value);
	return (
		<span class="row wrap tight">
			<span class={isOpen ? 'chip good' : 'chip'}>{state}</span>
			{soon && <span class="chip warn">{soon}</span>}
		</span>
	);
}

/** A number that leads to what it counts. */
function Count({ count, href }: { count: number; href: string }) {
	if (count === 0) return <span class="muted">0</span>;
	return (
		<a class="count" href={href}>
			{formatCount(count)}
		</a>
	);
}

function Failed({ form, count = 0 }: { form: string; count: number | undefined }) {
	const text = count < FAILED_MAX ? formatCount(count) : words.forms.atLeast(formatCount(count));
	if (count === 0) return <span class="muted">0</span>;
	return (
		<a class="count attention" href={to.deliveries({ form, state: 'failed' })}>
			{text}
		</a>
	);
}

function FormsTable({ list, stats }: { list: Form[]; stats: AllStats | undefined }) {
	const hasFailed = Object.keys(stats?.failedDeliveries ?? {}).length > 0;
	const failed: Column<Form> = {
		head: words.forms.failed,
		class: 'number',
		cell: ({ id }) => <Failed form={id} count={stats?.failedDeliveries[id]} />,
	};
	const columns: Column<Form>[] = [
		{
			head: words.controls.form,
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
			head: words.controls.state,
			class: 'col-wide',
			cell: (form) => <Opening form={form} />,
		},
		{
			head: words.forms.lastDays(DAYS),
			class: 'col-wide col-spark',
			cell: ({ id }) => stats && <Recent counts={stats.forms[id] ?? new Array(DAYS).fill(0)} />,
		},
		{
			head: words.forms.today,
			class: 'number col-wide',
			cell: ({ id }) => stats && formatCount(stats.forms[id]?.at(-1) ?? 0),
		},
		{
			head: words.forms.unread,
			class: 'number',
			cell: (form) => <Count count={unreadIn(form)} href={to.inbox(form.id, { filter: 'unread' })} />,
		},
		{
			head: words.forms.spam,
			class: 'number col-wide',
			cell: ({ id, spamCount }) => <Count count={spamCount} href={to.inbox(id, { filter: 'spam' })} />,
		},
		...(hasFailed ? [failed] : []),
		{ head: words.forms.all, class: 'number', cell: ({ submissionCount }) => formatCount(submissionCount) },
		{
			head: words.forms.files,
			class: 'number col-wide',
			cell: ({ fileBytes }) => <span class="muted">{fileBytes > 0 ? roughSize(fileBytes) : '–'}</span>,
		},
		{ head: words.controls.created, class: 'col-wide muted', cell: ({ createdAt }) => <Time iso={createdAt} /> },
	];
	return (
		<Table
			name={words.frame.forms}
			class="forms-table"
			columns={columns}
			rows={list}
			rowClass={({ isActive }) => (isActive ? '' : 'paused')}
		/>
	);
}

function NoForms() {
	if (!may('read')) {
		return (
			<EmptyState icon="forms" title={words.forms.notForReading}>
				<p>{words.forms.notForReadingHint}</p>
			</EmptyState>
		);
	}
	const title = session.value?.mode === 'test' ? words.forms.noTestForms : words.forms.noForms;
	return (
		<EmptyState icon="forms" title={title}>
			{may('write') && <p>{words.forms.noFormsHint}</p>}
		</EmptyState>
	);
}

export function FormsList() {
	const list = forms.value;
	const stats = useQuery(`stats ${Math.floor(now.value / DAY_MS)}`, () => api.forms.stats(DAYS));
	const reloadSoon = useMemo(() => createThrottle(stats.reload, REFRESH_MS), [stats.reload]);
	useLiveEvents(({ type }) => type !== 'resumed' && reloadSoon());
	useEffect(() => reloadSoon.cancel, [reloadSoon]);
	const isTest = session.value?.mode === 'test';
	return (
		<Page title={words.frame.forms} intro={isTest ? words.forms.testIntro : undefined}>
			{may('write') && <NewForm />}
			{list?.length === 0 && <NoForms />}
			{list && list.length > 0 && <FormsTable list={list} stats={stats.data} />}
		</Page>
	);
}
