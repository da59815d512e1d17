/** The plan of `formsrv apply`: the difference between a file and the forms as they are, in steps that each leave whole forms. */

import { DEFAULT_WEBHOOK, shownUrl, WEBHOOKS_MAX } from '../delivery/webhooks/posting-settings.ts';
import type { Webhook } from '../delivery/webhooks/schema.ts';
import { NEW_SETTINGS, SETTINGS_IN_FILE, shownSettings } from '../forms/check-settings.ts';
import type { Form } from '../forms/schema.ts';
import type { Lists } from '../spam/lists/schema.ts';
import { LISTS, type ListName } from '../storage/tables.ts';
import { plural } from '../text/plural.ts';
import { type Api, at } from './api.ts';
import { CommandError } from './cli.ts';
import type { FormInFile, ReadFile, WebhookInFile } from './forms-file.ts';

interface Change {
	before: unknown;
	after: unknown;
}

export interface Step {
	action: 'create' | 'change' | 'delete';
	what: 'form' | 'webhook' | 'lists';
	/** The slug of the form. */
	form: string;
	/** For people: what is made, changed or deleted. */
	label: string;
	/** Where its members stand behind `forms` in the file. */
	path: string[];
	changes: Record<string, Change>;
	run(): Promise<unknown>;
}

export interface Plan {
	steps: Step[];
	/** Things that are not in the file, and stay without `--prune`; for people. */
	kept: string[];
}

/** @throws CommandError for what can be seen beforehand to be rejected */
export async function planOf(api: Api, file: ReadFile, { prune }: { prune: boolean }): Promise<Plan> {
	const { forms } = await api.get<{ forms: Form[] }>('/api/forms');
	const steps: Step[] = [];
	const kept: string[] = [];
	for (const wanted of file.forms) {
		const form = forms.find(({ slug }) => slug === wanted.slug);
		checkForm(wanted, { form, forms, file });
		const place: Place = { api: api.in(form?.mode ?? wanted.mode), slug: wanted.slug, id: form?.id };
		// A key of the other mode is rejected before anything is done.
		if (!form && wanted.mode) await place.api.get('/api/forms');
		const webhooks = await webhookSteps(place, { wanted: wanted.webhooks, file, prune });
		kept.push(...webhooks.kept);
		const parts = [...webhooks.steps, ...(await listSteps(place, wanted.lists))];
		steps.push(...formSteps(place, { wanted, form, file, parts }));
	}
	// Forms that were made by hand, or are of another file, are left alone.
	const removals = forms
		.filter(({ slug, keptIn }) => keptIn === file.name && !file.forms.some((wanted) => wanted.slug === slug))
		.map((form) => formRemoval(api, form, file));
	if (prune) steps.push(...removals);
	else kept.push(...removals.map(({ label }) => label));
	return { steps, kept };
}

/** @throws CommandError if the form that has the slug, or had it before, is not one that this file can have */
function checkForm(
	{ slug, mode }: FormInFile,
	{ form, forms, file }: { form: Form | undefined; forms: Form[]; file: ReadFile },
): void {
	const renamed = form ? undefined : forms.find(({ formerSlugs }) => formerSlugs.includes(slug));
	if (renamed)
		throw new CommandError(
			`forms.${slug}: what is posted to ${slug} goes to the form ${renamed.slug}, which was called so before. Name that one forms.${renamed.slug}, and a new one otherwise.`,
		);
	if (form && mode && mode !== form.mode)
		throw new CommandError(
			`forms.${slug}.mode is ${mode}, and there is a ${form.mode} form of that slug: that cannot be changed.`,
		);
	if (form?.keptIn && file.name && form.keptIn !== file.name)
		throw new CommandError(
			`forms.${slug} is kept in the file "${form.keptIn}": leave it out of one of the two. To move it here: formsrv forms update ${slug} --kept-in "${file.name}"`,
		);
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

interface Parts {
	wanted: FormInFile;
	form: Form | undefined;
	file: ReadFile;
	/** The steps of its webhooks and lists. */
	parts: Step[];
}

/** A form takes submissions once its webhooks and lists are there, so that none of them is missed. */
function formSteps(place: Place, { wanted, form, file, parts }: Parts): Step[] {
	const { api, slug } = place;
	const { settings } = wanted;
	const names = [...SETTINGS_IN_FILE, ...(file.name === undefined ? [] : ['keptIn'])];
	const blank = shownSettings(NEW_SETTINGS);
	const changes = changesBetween(form ?? blank, { ...settings, keptIn: file.name }, names);
	const opensLast = parts.length > 0 && settings.isActive && form?.isActive !== true;
	if (opensLast) delete changes.isActive;
	// It has the addresses too, which are one setting.
	const { notification, notificationEmail } = settings;
	const sent = {
		...after(changes),
		...((changes.notification || changes.notificationEmail) && { notification, notificationEmail }),
	};
	const step = (action: 'create' | 'change', changes: Step['changes'], run: Step['run']): Step => {
		return { action, what: 'form', form: slug, label: `form ${slug}`, path: [slug], changes, run };
	};
	const opening = { isActive: { before: false, after: true } };
	const open = step('change', opening, () => api.patch(pathOf(place), { isActive: true }));
	const ended = opensLast ? [...parts, open] : parts;
	if (form) {
		const change = step('change', changes, () => api.patch(pathOf(place), sent));
		return Object.keys(changes).length === 0 ? ended : [change, ...ended];
	}
	const input = { ...sent, name: settings.name, slug, ...(opensLast && { isActive: false }) };
	const create = step('create', changes, async () => {
		place.id = (await api.post<Form>('/api/forms', input)).id;
	});
	return [create, ...ended];
}

function formRemoval(api: Api, { id, slug, submissionCount, spamCount, pendingCount }: Form, file: ReadFile): Step {
	const label = `form ${slug} with its ${plural(submissionCount + spamCount + pendingCount, 'submission')}`;
	const path = at`/api/forms/${id}`;
	const run = async () => {
		// The steps before it may have taken minutes.
		const { keptIn } = await api.get<Form>(path);
		if (keptIn !== file.name) throw new CommandError('It is no longer kept in this file, and was not deleted.');
		await api.delete(path);
	};
	return { action: 'delete', what: 'form', form: slug, label, path: [slug], changes: {}, run };
}

const WEBHOOK_MEMBERS = ['url', ...Object.keys(DEFAULT_WEBHOOK)];

/** Those of the file with the present ones that they are: by both, by their name, or else by their address. */
function pairs(wanted: readonly WebhookInFile[], found: readonly Webhook[]) {
	const rest = new Set(found);
	const before = new Map<WebhookInFile, Webhook>();
	const match = (isIt: (webhook: WebhookInFile, one: Webhook) => boolean) => {
		for (const webhook of wanted) {
			const one = before.has(webhook) ? undefined : [...rest].find((one) => isIt(webhook, one));
			if (!one) continue;
			before.set(webhook, one);
			rest.delete(one);
		}
	};
	match(({ name, url }, one) => one.name === name && one.url === url);
	match(({ name }, one) => name !== null && one.name === name);
	match(({ url }, one) => one.url === url);
	return { all: wanted.map((webhook) => ({ webhook, before: before.get(webhook) })), rest: [...rest] };
}

interface Webhooks {
	wanted: readonly WebhookInFile[] | undefined;
	file: ReadFile;
	prune: boolean;
}

async function webhookSteps(
	place: Place,
	{ wanted, file, prune }: Webhooks,
): Promise<{ steps: Step[]; kept: string[] }> {
	if (wanted === undefined) return { steps: [], kept: [] };
	const { api, slug } = place;
	const base = () => `${pathOf(place)}/webhooks`;
	const found = place.id === undefined ? [] : (await api.get<{ webhooks: Webhook[] }>(base())).webhooks;
	const { all, rest } = pairs(wanted, found);
	const steps = all.map(({ webhook, before }, i): Step => {
		const path = [slug, 'webhooks', `${i}`];
		checkStored({ webhook, before, path: `forms.${path.join('.')}` });
		const changes = webhookChanges(before, webhook);
		const sent = {
			...after(changes),
			url: webhook.url,
			...((changes.headers || changes.url) && { headers: webhook.headers }),
		};
		const run = () => (before ? api.patch(base() + at`/${before.id}`, sent) : api.post(base(), sent));
		const [variable] = file.variablesOf([...path, 'url']);
		const label = `webhook ${webhook.name ?? variable ?? shownUrl(webhook.url)} of ${slug}`;
		return { action: before ? 'change' : 'create', what: 'webhook', form: slug, label, path, changes, run };
	});
	const removals = rest.map((webhook): Step => {
		const label = `webhook ${webhook.name ?? shownUrl(webhook.url)} of ${slug}`;
		const run = () => api.delete(base() + at`/${webhook.id}`);
		return { action: 'delete', what: 'webhook', form: slug, label, path: [], changes: {}, run };
	});
	const needed = steps.filter(({ action, changes }) => action === 'create' || Object.keys(changes).length > 0);
	const most = found.length + steps.filter(({ action }) => action === 'create').length;
	if (!prune && most > WEBHOOKS_MAX)
		throw new CommandError(
			`forms.${slug} would have ${most} webhooks, with ${rest.length} that are not in the file, and may have ${WEBHOOKS_MAX}: take some away, or add --prune.`,
		);
	if (!prune) return { steps: needed, kept: removals.map(({ label }) => label) };
	// The old ones go last, so that nothing is missed, unless there is no room for both.
	return { steps: most > WEBHOOKS_MAX ? [...removals, ...needed] : [...needed, ...removals], kept: [] };
}

function webhookChanges(before: Webhook | undefined, webhook: WebhookInFile): Record<string, Change> {
	const present = {
		...(before ?? DEFAULT_WEBHOOK),
		// Stored values of headers cannot be read, so that names alone are compared.
		headers: namesOf(before),
		// One that the server disabled is for a person to resume.
		isActive: before === undefined || before.isActive || (before.disabledReason !== null && webhook.isActive),
	};
	return changesBetween(present, { ...webhook, headers: namesOf(webhook) }, WEBHOOK_MEMBERS);
}

/** @throws CommandError if a header is to keep its value and there is none, or another host would get it */
function checkStored({ webhook, before, path }: { webhook: WebhookInFile; before?: Webhook; path: string }): void {
	const isSameHost = before && URL.parse(before.url)?.origin === URL.parse(webhook.url)?.origin;
	for (const [name, value] of Object.entries(webhook.headers)) {
		if (value !== null || (isSameHost && Object.hasOwn(before.headers, name))) continue;
		throw new CommandError(
			`${path}.headers.${name} is "none", which keeps the stored value, and there is none for that host: give it as ${name}_env.`,
		);
	}
}

const namesOf = (webhook: Pick<Webhook, 'headers'> | undefined) => Object.keys(webhook?.headers ?? {}).sort();

async function listSteps(place: Place, wanted: FormInFile['lists']): Promise<Step[]> {
	const names = LISTS.filter((name) => wanted[name]);
	if (names.length === 0) return [];
	const { api, slug } = place;
	const found = place.id === undefined ? { block: [], allow: [] } : await api.get<Lists>(`${pathOf(place)}/lists`);
	const sorted = (lists: Partial<Lists>) =>
		Object.fromEntries(names.map((name) => [name, [...new Set(lists[name])].sort()]));
	const changes = changesBetween(sorted(found), sorted(wanted), names);
	if (Object.keys(changes).length === 0) return [];
	// In the order of the file.
	const sent = Object.fromEntries(Object.keys(changes).map((name) => [name, wanted[name as ListName]]));
	const run = () => api.patch(`${pathOf(place)}/lists`, sent);
	return [
		{ action: 'change', what: 'lists', form: slug, label: `lists of ${slug}`, path: [slug, 'lists'], changes, run },
	];
}
