/** The audit log: who changed what, and let content out. */

import { detailTexts } from '../../../audit/details-text.ts';
import { capitalised } from '../../../text/capitalised.ts';
import * as api from '../api.ts';
import type { AuditEntry } from '../api-types.ts';
import { Field, Select } from '../components/inputs.tsx';
import { EmptyState, Loaded } from '../components/messages.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { timesOf } from '../inbox-query.ts';
import { navigate, replaceAddress } from '../location.ts';
import { type AuditPlace, type Route, to } from '../router.ts';
import * as words from '../sentences/more-words.ts';
import { formOf, forms } from '../state/forms.ts';
import { useQuery } from '../use-query.ts';

const PAGE_SIZE = 50;

/** `updateForm` → `Update form`. */
const actionText = (action: string) => capitalised(action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

function actorText({ kind, id, name }: AuditEntry['actor']): string {
	if (kind === 'user') return words.audit.user(id);
	return name ?? words.audit.nameless[kind] ?? words.audit.apiKey(id);
}

interface Props {
	place: AuditPlace;
}

function Filters({ place, actions }: Props & { actions: readonly string[] }) {
	const addressWith = (change: Partial<AuditPlace>) => to.audit({ ...place, ...change, page: 1 });
	const go = (change: Partial<AuditPlace>) => navigate(addressWith(change));
	// A year that is typed is one with each of its digits.
	const goOn = (change: Partial<AuditPlace>) => replaceAddress(addressWith(change));
	const chosen = (value: string, label: string, known: boolean) => (value === '' || known ? [] : [{ value, label }]);
	const objects = (forms.value ?? []).map(({ id, name }) => ({ value: `form:${id}`, label: name }));
	return (
		<search class="audit-filters row wrap">
			<Select
				label={words.audit.action}
				value={place.action}
				options={[
					{ value: '', label: words.audit.allActions },
					...actions.map((action) => ({ value: action, label: actionText(action) })),
					...chosen(place.action, actionText(place.action), actions.includes(place.action)),
				]}
				onChange={(action) => go({ action })}
			/>
			<Select
				label={words.audit.about}
				value={place.object}
				options={[
					{ value: '', label: words.audit.everything },
					...objects,
					...chosen(
						place.object,
						place.object.replace(':', ' '),
						objects.some(({ value }) => value === place.object),
					),
				]}
				onChange={(object) => go({ object })}
			/>
			<Field label={words.controls.fromDay} type="date" value={place.from} onInput={(from) => goOn({ from })} />
			<Field label={words.controls.toDay} type="date" value={place.to} onInput={(day) => goOn({ to: day })} />
			{place.actor && (
				<p class="small muted">
					{words.audit.onlyBy(<bdi>{place.actor.replace(':', ' ')}</bdi>)}{' '}
					<a href={to.audit({ ...place, actor: '', page: 1 })}>{words.audit.showAll}</a>
				</p>
			)}
		</search>
	);
}

function About({ entry: { form, object } }: { entry: AuditEntry }) {
	const known = form === null ? undefined : formOf(form);
	const name = known ? <bdi>{known.name}</bdi> : form;
	if (object === null) return form === null ? null : <span class="muted"> {name}</span>;
	const { kind, id } = object;
	if (kind === 'form') return <a href={known ? to.inbox(id) : to.audit({ object: `form:${id}` })}>{name ?? id}</a>;
	const address = kind === 'submission' && known ? to.submission(known.id, id) : to.audit({ object: `${kind}:${id}` });
	return (
		<>
			<a href={address}>
				{kind} {id}
			</a>
			{form !== null && <span class="muted">{words.audit.inForm(name)}</span>}
		</>
	);
}

function EntryTable({ entries, place }: Props & { entries: AuditEntry[] }) {
	if (entries.length === 0) {
		return (
			<EmptyState icon="history" title={words.audit.noEntries}>
				<p>{words.audit.noEntriesHint}</p>
			</EmptyState>
		);
	}
	const columns: Column<AuditEntry>[] = [
		{ head: words.audit.when, class: 'col-time muted', cell: ({ createdAt }) => <Time iso={createdAt} /> },
		{
			head: words.audit.who,
			cell: ({ actor, address }) => (
				<>
					<a
						href={to.audit({ ...place, actor: actor.id === null ? actor.kind : `${actor.kind}:${actor.id}`, page: 1 })}
					>
						<bdi>{actorText(actor)}</bdi>
					</a>
					{address && <div class="muted small">{address}</div>}
				</>
			),
		},
		{
			head: words.audit.what,
			cell: (entry) => (
				<>
					{actionText(entry.action)}
					{entry.count > 1 && words.audit.times(entry.count)} <About entry={entry} />
					{detailTexts(entry.details).map((text) => (
						<div key={text} class="muted small">
							<bdi>{text}</bdi>
						</div>
					))}
				</>
			),
		},
	];
	return <Table name={words.frame.auditLog} class="audit-table" columns={columns} rows={entries} />;
}

export function Audit({ at }: { at: Extract<Route, { view: 'audit' }> }) {
	const { view: _, ...place } = at;
	const { action, actor, object, page } = place;
	const query = { action, actor, object, ...timesOf(place), limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
	const loaded = useQuery(JSON.stringify(query), () => api.audit.list(query));
	return (
		<Page title={words.frame.auditLog} intro={words.audit.intro}>
			<Filters place={place} actions={loaded.data?.actions ?? []} />
			<Loaded query={loaded}>
				{({ entries, pagination }) => (
					<>
						<EntryTable entries={entries} place={place} />
						<Pager pagination={pagination} addressOf={(number) => to.audit({ ...place, page: number })} />
					</>
				)}
			</Loaded>
		</Page>
	);
}
