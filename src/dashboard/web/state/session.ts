/** Who is signed in, in which mode, and what they may do. */

import { effect, signal } from '@preact/signals';
import * as api from '../api.ts';
import { isSignedOut } from '../connection.ts';
import { navigate, route } from '../location.ts';
import { to } from '../router.ts';
import type { Mode, Permission, Session } from '../wire.ts';
import { settleToasts } from './toasts.ts';

const STORED_AS = 'formsrv.session';

/** `undefined` until the server has answered once, `null` when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the sign-in view is shown, if there is something to say. */
export const signInNotice = signal('');

export function may(permission: Permission): boolean {
	const permissions = session.value?.permissions ?? [];
	return permissions.includes(permission) || permissions.includes('admin');
}

/** Remembers on this device that there is a session, so that nobody is asked for one in vain. */
function remember(next: Session | null): void {
	if (next) localStorage.setItem(STORED_AS, 'yes');
	else localStorage.removeItem(STORED_AS);
	session.value = next;
}

/** From now on, ends the session here when the server has ended it. */
export function watchSession(): void {
	effect(() => {
		if (!isSignedOut.value || !session.peek()) return;
		signInNotice.value = 'Your session has ended. Please sign in again.';
		remember(null);
	});
}

/** Takes up the session that this browser had; throws only if the server cannot be reached. */
export async function resumeSession(): Promise<void> {
	if (localStorage.getItem(STORED_AS) === null) return remember(null);
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
	session.value = next;
}
