/** All forms of the mode with their counts, and a field that creates one. */

import { useState } from 'preact/hooks';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/page.tsx';
import { Sparkline } from '../components/sparkline.tsx';
import { Time } from '../components/time.tsx';
import { errorOf } from '../field-errors.ts';
import { formatCount, plural } from '../format.ts';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import { forms, putForm } from '../state/forms.ts';
import { may, session } from '../state/session.ts';
import { useQuery } from '../use-query.ts';

const DAYS = 30;

function NewForm() {
	const [name, setName] = useState('');
	const [error, setError] = useState('');
	const [isBusy, setBusy] = useState(false);
	const create = async (event: Event) => {
		event.preventDefault();
		if (name.trim() === '') return setError('Give the form a name, such as “Contact”.');
		setBusy(true);
		try {
			const form = await api.forms.create({ name: name.trim() });
			putForm(form);
			navigate(to.connect(form.id));
		} catch (cause) {
			const apiError = cause instanceof api.ApiError ? cause : undefined;
			setError(errorOf(apiError, 'name') ?? apiError?.message ?? 'The form could not be created.');
			setBusy(false);
		}
	};
	return (
		<form class="new-form" onSubmit={create} aria-label="New form">
			<input
				class="input"
				aria-label="Name of the new form"
				aria-invalid={error ? true : undefined}
				aria-describedby={error ? 'new-form-error' : undefined}
				placeholder="Name of a new form"
				maxLength={200}
				value={name}
				onInput={(event) => {
					setName(event.currentTarget.value);
					setError('');
				}}
			/>
			<button type="submit" class="button primary" disabled={isBusy}>
				<Icon name="plus" />
				Create form
			</button>
			{error && (
				<p class="field-error" id="new-form-error" role="alert">
					{error}
				</p>
			)}
		</form>
	);
}

function FormRow({ form, counts }: { form: Form; counts: number[] | undefined }) {
	const recent = counts?.reduce((sum, count) => sum + count, 0) ?? 0;
	return (
		<tr class={form.isActive ? '' : 'paused'}>
			<td>
				<a class="row-link" href={to.inbox(form.id)}>
					<bdi>{form.name}</bdi>
				</a>
				<span class="muted mono small">/f/{form.slug}</span>
			</td>
			<td class="col-state">
				<span class={form.isActive ? 'chip good' : 'chip'}>{form.isActive ? 'Active' : 'Paused'}</span>
			</td>
			<td class="col-spark">
				{counts && <Sparkline counts={counts} label={`${plural(recent, 'submission')} in the last ${DAYS} days`} />}
			</td>
			<td class="number">
				{form.unreadCount > 0 ? (
					<span class="count">{formatCount(form.unreadCount)}</span>
				) : (
					<span class="muted">0</span>
				)}
			</td>
			<td class="number">{formatCount(form.submissionCount)}</td>
			<td class="col-created muted">
				<Time iso={form.createdAt} />
			</td>
		</tr>
	);
}

function FormsTable({ list, stats }: { list: Form[]; stats: Record<string, number[]> | undefined }) {
	return (
		<div class="table-card">
			<table class="table forms-table">
				<caption class="visually-hidden">Forms</caption>
				<thead>
					<tr>
						<th scope="col">Form</th>
						<th scope="col" class="col-state">
							State
						</th>
						<th scope="col" class="col-spark">
							Last {DAYS} days
						</th>
						<th scope="col" class="number">
							Unread
						</th>
						<th scope="col" class="number">
							All
						</th>
						<th scope="col" class="col-created">
							Created
						</th>
					</tr>
				</thead>
				<tbody>
					{list.map((form) => (
						<FormRow key={form.id} form={form} counts={stats?.[form.id] ?? (stats && new Array(DAYS).fill(0))} />
					))}
				</tbody>
			</table>
		</div>
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
