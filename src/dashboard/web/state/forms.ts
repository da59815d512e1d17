/** The forms of the current mode, shared by the sidebar and every view. */

import { signal } from '@preact/signals';
import { BLANK_SETTINGS } from '../../../forms/settings.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { createThrottle } from '../throttle.ts';
import { may, type ShownSession, session } from './session.ts';

/** `undefined` until loaded. */
export const forms = signal<Form[] | undefined>(undefined);

const REFRESH_DELAY_MS = 400;

export const formOf = (id: string): Form | undefined => forms.value?.find((form) => form.id === id);

/** A form-level key cannot read its form: this replaces it. */
function onlyForm({ form, formName, mode }: ShownSession): Form {
	return {
		...BLANK_SETTINGS,
		id: form ?? '',
		name: formName ?? 'Your form',
		formerSlugs: [],
		submissionCount: 0,
		createdAt: '',
		unreadCount: 0,
		starredCount: 0,
		spamCount: 0,
		fileBytes: 0,
		mode,
	};
}

export async function loadForms(): Promise<void> {
	const current = session.peek();
	if (current?.form) {
		forms.value = [onlyForm(current)];
		return;
	}
	if (!may('read')) {
		forms.value = [];
		return;
	}
	forms.value = (await api.forms.list()).forms;
}

/** Reloads the counts; other views report failures. */
export const refreshFormsSoon = createThrottle(() => loadForms().catch(() => {}), REFRESH_DELAY_MS);

/** Adds or replaces a form without a request. */
export function putForm(form: Form): void {
	const known = forms.value ?? [];
	const isKnown = known.some(({ id }) => id === form.id);
	forms.value = isKnown ? known.map((old) => (old.id === form.id ? { ...old, ...form } : old)) : [form, ...known];
}

export function dropForm(id: string): void {
	forms.value = forms.value?.filter((form) => form.id !== id);
}
