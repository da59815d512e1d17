/** The forms of the current mode, shared by the sidebar and every view. */

import { signal } from '@preact/signals';
import { labelsOf } from '../../../field-rules/rules.ts';
import { BLANK_SETTINGS } from '../../../forms/settings.ts';
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

/** A form-level key cannot read its forms: these replace them. */
function ownForms({ forms: own, mode }: ShownSession): Form[] {
	return (own ?? []).map((form) => ({
		...BLANK_SETTINGS,
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

/** Adds or replaces a form without a request. */
export function putForm(form: Form): void {
	outdateRequests();
	const known = forms.value ?? [];
	const isKnown = known.some(({ id }) => id === form.id);
	forms.value = isKnown
		? known.map((old) => (old.id === form.id ? { ...old, ...form } : old))
		: // A key that may not read is not shown all settings.
			[{ ...BLANK_SETTINGS, ...form }, ...known];
}

export function dropForm(id: string): void {
	outdateRequests();
	forms.value = forms.value?.filter((form) => form.id !== id);
}
