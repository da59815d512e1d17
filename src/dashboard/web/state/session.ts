/** The session: its mode and permissions. */

import { effect, signal } from '@preact/signals';
import * as api from '../api.ts';
import type { Mode, OpenSession, Permission, Session } from '../api-types.ts';
import { navigate, route } from '../location.ts';
import { to } from '../router.ts';
import * as words from '../sentences/words.ts';
import { settleToasts } from './toasts.ts';
import { askBeforeClosing, forgetUnsaved, unsaved } from './unsaved.ts';

const STORED_AS = 'formsrv.session';

/** Without the expiry, which changes with each use and is not shown. */
export type ShownSession = Omit<Session, 'expiresAt'>;

/** `undefined` until known, `null` if signed out. */
export const session = signal<ShownSession | null | undefined>(undefined);

/** Why the sign-in view is shown, if there is a reason. */
export const signInNotice = signal('');

export function may(permission: Permission): boolean {
	const permissions = session.value?.permissions ?? [];
	return permissions.includes(permission) || permissions.includes('admin');
}

/** The key or member of the last session here: what was typed in it is for the same one alone. */
let lastKeyId: string | null | undefined;

function show(next: ShownSession): void {
	if (next.keyId !== lastKeyId) forgetUnsaved();
	lastKeyId = next.keyId;
	session.value = next;
}

/** Stores the session's description in this browser; no credential. */
function remember(next: Session | null): void {
	if (!next) {
		localStorage.removeItem(STORED_AS);
		session.value = null;
		return;
	}
	const { expiresAt: _, ...shown } = next;
	const text = JSON.stringify(shown);
	localStorage.setItem(STORED_AS, text);
	// Usually unchanged: avoids a render.
	if (text !== JSON.stringify(session.peek())) show(shown);
}

function recall(stored: string): ShownSession | undefined {
	try {
		return JSON.parse(stored) as ShownSession;
	} catch {
		return undefined;
	}
}

/** Takes over what another tab has stored: the tabs share one session, and its mode. */
function follow({ key, newValue }: StorageEvent): void {
	if (key !== STORED_AS || newValue === JSON.stringify(session.peek())) return;
	const next = newValue === null ? undefined : recall(newValue);
	api.isSignedOut.value = next === undefined;
	if (next) show(next);
}

/** Starts to clear the session here when the server, or another tab, has ended it. */
export function watchSession(): void {
	addEventListener('storage', follow);
	effect(() => {
		if (!api.isSignedOut.value || !session.peek()) return;
		signInNotice.value = words.frame.sessionEnded;
		remember(null);
		if (unsaved().size > 0) signInNotice.value += words.frame.typedIsKept;
	});
	// Nothing can be stored then, not even as the page is closed.
	effect(() => {
		if (session.value === null || !api.isReachable.value) return askBeforeClosing(() => unsaved().size > 0);
	});
}

/** Restores the session from this browser's storage at once, then from the server. Throws if that does not say whether it is valid. */
export async function resumeSession(): Promise<void> {
	const stored = localStorage.getItem(STORED_AS);
	if (stored === null) return remember(null);
	const recalled = recall(stored);
	if (recalled && !session.peek()) show(recalled);
	return readSession();
}

/** Takes over the session of the cookie, if there is one. Throws if the server does not say so. */
export async function readSession(): Promise<void> {
	try {
		remember(await api.session.read());
	} catch (error) {
		if (!(error instanceof api.ApiError) || error.status !== 401) throw error;
		remember(null);
	}
}

export async function signIn(proof: OpenSession): Promise<void> {
	const opened = await api.session.open(proof);
	api.isSignedOut.value = false;
	signInNotice.value = '';
	remember(opened);
}

export async function signOut(): Promise<void> {
	await settleToasts();
	await api.session.close();
	signInNotice.value = words.frame.signedOut;
	forgetUnsaved();
	remember(null);
}

export async function switchMode(mode: Mode): Promise<void> {
	await settleToasts();
	const next = await api.session.switchMode(mode);
	// A form belongs to one mode: the other has no views of it.
	if ('form' in route.peek() && route.peek().view !== 'deliveries') navigate(to.forms());
	remember(next);
}
