/** The forms of the current mode, shared by the sidebar and every view. */

import { signal } from '@preact/signals';
import { labelsOf } from '../../../field-rules/rules.ts';
import { mapOtherCounts } from '../../../storage/filters.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { countIn } from '../inbox-query.ts';
import * as words from '../sentences/words.ts';
import { createThrottle } from '../throttle.ts';
import { may, type ShownSession, session } from './session.ts';

/** `undefined` until loaded. */
export const forms = signal<Form[] | undefined>(undefined);

const REFRESH_DELAY_MS = 400;

/** How many submissions wait to be read: what is archived does not. */
export const unreadIn = (form: Form | undefined): number => countIn('unread', form);

export const formOf = (id: string): Form | undefined => forms.value?.find((form) => form.id === id);

/** Returns a function that maps the name of a field to its label in the views of a form. */
export function fieldLabels(id: string): (name: string) => string {
	const labelOf = labelsOf(formOf(id)?.fields);
	return (name) => (labelOf(name).trim() === '' ? words.submission.emptyName : labelOf(name));
}

/** In place of settings that a key may not read. Fetched for such a key alone: they are a fifth of all script of the page. */
const blankSettings = async () => (await import('../../../forms/settings.ts')).BLANK_SETTINGS;

/** A form-level key cannot read its forms: these replace them. */
async function ownForms({ forms: own, mode }: ShownSession): Promise<Form[]> {
	const blank = await blankSettings();
	return (own ?? []).map((form) => ({
		...blank,
		...form,
		formerSlugs: [],
		submissionCount: 0,
		createdAt: '',
		...mapOtherCounts(() => 0),
		nextDeletion: null,
		fileBytes: 0,
		mode,
	}));
}

/** Requests for the list are numbered, so that a late response does not replace a newer one. */
let requested = 0;
let shown = 0;

async function readForms(): Promise<Form[]> {
	const current = session.peek();
	if (current?.form) return ownForms(current);
	return may('read') ? (await api.forms.list()).forms : [];
}

export async function loadForms(): Promise<void> {
	const mine = ++requested;
	const list = await readForms();
	if (mine < shown) return;
	shown = mine;
	forms.value = list;
}

/** Those of a session are not for the next one, which may see others. */
export function forgetForms(): void {
	shown = requested + 1;
	forms.value = undefined;
}

/** Reloads the counts; other views report failures. */
export const refreshFormsSoon = createThrottle(() => loadForms().catch(() => {}), REFRESH_DELAY_MS);

/** Responses that are on their way do not know of a change made here: the list is read again in their place. */
function outdateRequests(): void {
	if (requested === shown) return;
	shown = requested + 1;
	requested = shown;
	refreshFormsSoon();
}

/** Adds a form that was just created, without a request for the list. */
export async function addForm(form: Form): Promise<void> {
	const blank = may('read') ? {} : await blankSettings();
	outdateRequests();
	const others = forms.value?.filter(({ id }) => id !== form.id) ?? [];
	forms.value = [{ ...blank, ...form }, ...others];
}

/** Shows what was changed of a form, without a request for the list. */
export function putForm(form: Form): void {
	outdateRequests();
	forms.value = forms.value?.map((old) => (old.id === form.id ? { ...old, ...form } : old));
}

export function dropForm(id: string): void {
	outdateRequests();
	forms.value = forms.value?.filter((form) => form.id !== id);
}
