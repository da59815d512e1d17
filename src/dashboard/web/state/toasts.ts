/** Short messages at the edge of the window, some of which can be undone. */

import { signal } from '@preact/signals';
import { announce } from '../announce.ts';
import { isOfFields, messageOf } from '../field-errors.ts';
import * as words from '../sentences/words.ts';

interface ToastAction {
	label: string;
	run: () => void;
}

export interface Toast {
	id: number;
	text: string;
	tone: 'plain' | 'danger';
	actions: ToastAction[];
	lifeMs: number;
	/** Called once when the toast closes without one of its actions. */
	onExpire?: () => Promise<unknown>;
}

export const toasts = signal<Toast[]>([]);

let lastId = 0;

const TOAST_LIFE_MS = 5000;
const MOST_AT_ONCE = 3;

export function showToast(text: string, options: Partial<Omit<Toast, 'id' | 'text'>> = {}): number {
	lastId += 1;
	const { tone = 'plain', actions = [], lifeMs = TOAST_LIFE_MS, onExpire } = options;
	const toast: Toast = { id: lastId, text, tone, actions, lifeMs, onExpire };
	const oldest = toasts.value[0];
	if (oldest && toasts.value.length >= MOST_AT_ONCE) void dismissToast(oldest.id);
	toasts.value = [...toasts.value, toast];
	return toast.id;
}

/** Runs every pending `onExpire` now, as when the page is left. */
export async function settleToasts(): Promise<void> {
	await Promise.all(toasts.value.map(({ id }) => dismissToast(id)));
}

export function showError(error: unknown): void {
	showToast(messageOf(error), { tone: 'danger', lifeMs: 8000 });
}

/** Says that something was not saved. Faults of single inputs are shown beside them; others need a message. Throws the error. */
export function showUnsaved(error: unknown, what: string): never {
	if (isOfFields(error)) announce(words.controls.toBeCorrected(what));
	else showError(error);
	throw error;
}

function take(id: number): Toast | undefined {
	const toast = toasts.value.find((candidate) => candidate.id === id);
	toasts.value = toasts.value.filter((candidate) => candidate.id !== id);
	return toast;
}

/** Closes a toast without one of its actions. */
export async function dismissToast(id: number): Promise<void> {
	await take(id)?.onExpire?.();
}

export function takeAction(toast: Toast, action: ToastAction): void {
	take(toast.id);
	action.run();
}

/** Runs the first action of the newest toast: the undo key. */
export function undoNewest(): void {
	const toast = toasts.value.findLast(({ actions }) => actions.length > 0);
	const action = toast?.actions[0];
	if (toast && action) takeAction(toast, action);
}
