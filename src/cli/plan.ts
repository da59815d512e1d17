/** The plan of `formsrv apply`: the difference between a file and the forms as they are, in steps that each leave whole forms. */

import type { Webhook } from '../delivery/webhooks/schema.ts';
import { NEW_SETTINGS, shownSettings } from '../forms/check-settings.ts';
import type { Form } from '../forms/schema.ts';
import { SETTING_NAMES } from '../forms/settings.ts';
import type { Lists } from '../spam/lists/schema.ts';
import { LISTS } from '../storage/tables.ts';
import { plural } from '../text/plural.ts';
import { type Api, at } from './api.ts';
import { CommandError } from './cli.ts';
import type { FormInFile, ReadFile, WebhookInFile } from './forms-file.ts';

export interface Change {
	before: unknown;
	after: unknown;
}

export interface Step {
	action: 'create' | 'change' | 'delete';
	what: 'form' | 'webhook' | 'lists';
	/** The slug of the form. */
	form: string;
	/** For people. */
	name: string;
	changes: Record<string, Change>;
	run(): Promise<unknown>;
}

export interface Plan {
	steps: Step[];
	/** Things that are not in the file, and stay without `--prune`. */
	kept: string[];
	/** Marks the forms of the file as kept in it. */
	mark(): Promise<void>;
}

export async function planOf(api: Api, file: ReadFile, { prune }: { prune: boolean }): Promise<Plan> {
	const { forms } = await api.get<{ forms: Form[] }>('/api/forms');
	const bySlug = new Map(forms.map((form) => [form.slug, form]));
	const steps: Step[] = [];
	const kept: string[] = [];
	const removal = (step: Step) => (prune ? steps.push(step) : kept.push(`${step.what} ${step.name} of ${step.form}`));
	for (const wanted of file.forms) {
		const form = bySlug.get(wanted.slug);
		if (form && wanted.mode && wanted.mode !== form.mode)
			throw new CommandError(
				`forms.${wanted.slug}.mode is ${wanted.mode}, and there is a ${form.mode} form of that slug: that cannot be changed.`,
			);
		const place: Place = { api: api.in(form?.mode ?? wanted.mode), slug: wanted.slug, id: form?.id };
		steps.push(...formSteps(place, { wanted, form, file }));
		for (const step of await webhookSteps(place, wanted.webhooks))
			step.action === 'delete' ? removal(step) : steps.push(step);
		steps.push(...(await listSteps(place, wanted.lists)));
	}
	const inFile = new Set(file.forms.map(({ slug }) => slug));
	// Forms that were made by hand, or are of another file, are left alone.
	for (const form of forms.filter(({ slug, keptIn }) => keptIn === file.name && !inFile.has(slug)))
		removal(formRemoval(api, form));
	return {
		steps,
		kept,
		async mark() {
			for (const { slug, keptIn, id } of forms)
				if (inFile.has(slug) && keptIn !== file.name) await api.patch(at`/api/forms/${id}`, { keptIn: file.name });
		},
	};
}

interface Place {
	api: Api;
	slug: string;
	/** `undefined` until the form is made. */
	id: string | undefined;
}

const pathOf = ({ id = '' }: Place) => at`/api/forms/${id}`;

function changesBetween(before: object, after: object, names: readonly string[]): Record<string, Change> {
	const of = (value: object, name: string) => (value as Record<string, unknown>)[name];
	const changed = names.filter((name) => !isSame(of(before, name), of(after, name)));
	return Object.fromEntries(changed.map((name) => [name, { before: of(before, name), after: of(after, name) }]));
}

/** By JSON too: a number with digits of its own is an object of which only its text is known. */
const isSame = (a: unknown, b: unknown) => Bun.deepEquals(a, b) || JSON.stringify(a) === JSON.stringify(b);
const after = (changes: Record<string, Change>) =>
	Object.fromEntries(Object.entries(changes).map(([name, one]) => [name, one.after]));

function formSteps(
	place: Place,
	{ wanted, form, file }: { wanted: FormInFile; form: Form | undefined; file: ReadFile },
): Step[] {
	const { api, slug } = place;
	const names = SETTING_NAMES.filter((name) => name !== 'keptIn' && name !== 'slug');
	const changes = changesBetween(form ?? shownSettings(NEW_SETTINGS), wanted.settings, names);
	if (form && Object.keys(changes).length === 0) return [];
	// It has the addresses too, which are one setting.
	const { notification } = wanted.settings;
	const sent = {
		...after(changes),
		...((changes.notification || changes.notificationEmail) && {
			notification,
			notificationEmail: wanted.settings.notificationEmail,
		}),
		keptIn: file.name,
	};
	const create = async () => {
		place.id = (await api.post<Form>('/api/forms', { ...sent, name: wanted.settings.name, slug })).id;
	};
	const change = () => api.patch(pathOf(place), sent);
	return [
		{ action: form ? 'change' : 'create', what: 'form', form: slug, name: slug, changes, run: form ? change : create },
	];
}

function formRemoval(api: Api, { id, slug, submissionCount, spamCount }: Form): Step {
	const name = `${slug} with its ${plural(submissionCount + spamCount, 'submission')}`;
	return { action: 'delete', what: 'form', form: slug, name, changes: {}, run: () => api.delete(at`/api/forms/${id}`) };
}

const WEBHOOK_MEMBERS = ['name', 'url', 'format', 'include', 'events', 'isActive', 'where', 'body', 'headers'];
/** By which one is found again. */
const keyOf = ({ name, url }: Pick<Webhook, 'name' | 'url'>): string => name ?? url;

async function webhookSteps(place: Place, wanted: readonly WebhookInFile[] | undefined): Promise<Step[]> {
	if (wanted === undefined) return [];
	const { api, slug } = place;
	const found =
		place.id === undefined ? [] : (await api.get<{ webhooks: Webhook[] }>(`${pathOf(place)}/webhooks`)).webhooks;
	const free = Map.groupBy(found, keyOf);
	const steps = wanted.flatMap((webhook): Step[] => {
		const before = free.get(keyOf(webhook))?.shift();
		// Stored values of headers cannot be read, so that names alone are compared.
		const changes = changesBetween(
			{ ...before, headers: namesOf(before) },
			{ ...webhook, headers: namesOf(webhook) },
			WEBHOOK_MEMBERS,
		);
		if (before && Object.keys(changes).length === 0) return [];
		const path = () => `${pathOf(place)}/webhooks`;
		const sent = { ...after(changes), ...(changes.headers && { headers: webhook.headers }), url: webhook.url };
		return [
			{
				action: before ? 'change' : 'create',
				what: 'webhook',
				form: slug,
				name: shownName(webhook),
				changes,
				run: () => (before ? api.patch(path() + at`/${before.id}`, sent) : api.post(path(), sent)),
			},
		];
	});
	const removals = [...free.values()].flat().map(
		(webhook): Step => ({
			action: 'delete',
			what: 'webhook',
			form: slug,
			name: shownName(webhook),
			changes: {},
			run: () => api.delete(`${pathOf(place)}${at`/webhooks/${webhook.id}`}`),
		}),
	);
	return [...steps, ...removals];
}

const namesOf = (webhook: Pick<Webhook, 'headers'> | undefined) => Object.keys(webhook?.headers ?? {}).sort();
const shownName = ({ name, url }: Pick<Webhook, 'name' | 'url'>) => name ?? shownUrl(url);

/** The rest of it often contains a credential. */
export const shownUrl = (url: string) => `${URL.parse(url)?.origin ?? ''}/…`;

async function listSteps(place: Place, wanted: FormInFile['lists']): Promise<Step[]> {
	const names = LISTS.filter((name) => wanted[name]);
	if (names.length === 0) return [];
	const { api, slug } = place;
	const found = place.id === undefined ? { block: [], allow: [] } : await api.get<Lists>(`${pathOf(place)}/lists`);
	const sorted = (lists: Partial<Lists>) =>
		Object.fromEntries(names.map((name) => [name, [...new Set(lists[name])].sort()]));
	const changes = changesBetween(sorted(found), sorted(wanted), names);
	if (Object.keys(changes).length === 0) return [];
	return [
		{
			action: 'change',
			what: 'lists',
			form: slug,
			name: slug,
			changes,
			run: () => api.patch(`${pathOf(place)}/lists`, after(changes)),
		},
	];
}
