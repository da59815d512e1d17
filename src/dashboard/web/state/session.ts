/** Who is signed in, in which mode, and what they may do. */

import { effect, signal } from '@preact/signals';
import * as api from '../api.ts';
import type { Mode, Permission, Session } from '../api-types.ts';
import { isSignedOut } from '../connection.ts';
import { navigate, route } from '../location.ts';
import { to } from '../router.ts';
import { settleToasts } from './toasts.ts';

const STORED_AS = 'formsrv.session';

/** The end of a session moves with every use, and is shown nowhere. */
export type ShownSession = Omit<Session, 'expiresAt'>;

/** `undefined` until something is known, `null` when nobody is signed in. */
export const session = signal<ShownSession | null | undefined>(undefined);

/** Why the sign-in view is shown, if there is something to say. */
export const signInNotice = signal('');

export function may(permission: Permission): boolean {
	const permissions = session.value?.permissions ?? [];
	return permissions.includes(permission) || permissions.includes('admin');
}

/** Remembers on this device who is signed in, though nothing that would prove it. */
function remember(next: Session | null): void {
	if (!next) {
		localStorage.removeItem(STORED_AS);
		session.value = null;
		return;
	}
	const { expiresAt: _, ...shown } = next;
	const text = JSON.stringify(shown);
	localStorage.setItem(STORED_AS, text);
	// Most often nothing has changed, and nothing has to be drawn again.
	if (text !== JSON.stringify(session.peek())) session.value = shown;
}

function recall(stored: string): ShownSession | undefined {
	try {
		return JSON.parse(stored) as ShownSession;
	} catch {
		return undefined;
	}
}

/** From now on, ends the session here when the server has ended it. */
export function watchSession(): void {
	effect(() => {
		if (!isSignedOut.value || !session.peek()) return;
		signInNotice.value = 'Your session has ended. Please sign in again.';
		remember(null);
	});
}

/**
 * Takes up the session that this browser had, at once as it was last seen and then as it is; throws only if the server
 * cannot be reached.
 */
export async function resumeSession(): Promise<void> {
	const stored = localStorage.getItem(STORED_AS);
	if (stored === null) return remember(null);
	session.value ??= recall(stored);
	try {
		remember(await api.session.read());
	} catch (error) {
		if (!(error instanceof api.ApiError) || error.status === 0) throw error;
		remember(null);
	}
}

export async function signIn(proof: { key: string } | { token: string }): Promise<void> {
	const opened = await api.session.open(proof);
	isSignedOut.value = false;
	signInNotice.value = '';
	remember(opened);
}

export async function signOut(): Promise<void> {
	await settleToasts();
	await api.session.close();
	signInNotice.value = 'You have signed out.';
	remember(null);
}

export async function switchMode(mode: Mode): Promise<void> {
	await settleToasts();
	const next = await api.session.switchMode(mode);
	// A form belongs to one mode: in the other its views lead nowhere.
	if ('form' in route.peek() && route.peek().view !== 'deliveries') navigate(to.forms());
	remember(next);
}
