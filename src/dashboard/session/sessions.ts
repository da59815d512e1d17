/** People signed in to the dashboard: by a key, whose rights and end they share, or by a set-up link. */

import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { decodeId, encodeId, firstIdAt, idToMillis } from '../../ids.ts';
import type { Keys } from '../../keys/keys.ts';
import { type Principal, unauthorized } from '../../keys/permissions.ts';
import { hashToken } from '../../keys/token.ts';
import { lazy } from '../../lazy.ts';
import type { Storage } from '../../storage/storage.ts';
import {
	type ApiKeyRow,
	apiKeys,
	MODES,
	type Mode,
	type SessionRow,
	sessions,
	setupLinks,
} from '../../storage/tables.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const IDLE_MS = 12 * HOUR_MS;
export const LIFETIME_MS = 7 * 24 * HOUR_MS;
const LINK_LIFETIME_MS = HOUR_MS;
const TOKEN_BYTES = 32;

/** A session as it stands: `modes` are those it may switch between. */
export interface Session {
	id: number;
	principal: Principal;
	modes: readonly Mode[];
	expiresAt: Date;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(storage: Storage, { keys, now = Date.now }: { keys: Keys; now?: () => number }) {
	const byHash = lazy(() =>
		storage.db
			.select({ session: sessions, key: apiKeys })
			.from(sessions)
			.leftJoin(apiKeys, eq(sessions.keyId, apiKeys.id))
			.where(eq(sessions.hash, sql.placeholder('hash')))
			.prepare(),
	);

	async function open(mode: Mode, keyId: number | null): Promise<string> {
		const token = randomToken();
		const row = { id: storage.nextId(), hash: hashToken(token), keyId, mode, lastSeenAt: now() };
		await storage.batch((tx) => [tx.insert(sessions).values(row)]);
		return token;
	}

	/** Notes that somebody is there, to the minute; a failure to do so is nobody's concern. */
	function noteUse({ id, lastSeenAt }: SessionRow): void {
		const at = now();
		if (at - lastSeenAt < MINUTE_MS) return;
		storage.batch((tx) => [tx.update(sessions).set({ lastSeenAt: at }).where(eq(sessions.id, id))]).catch(() => {});
	}

	/** Only a session that was never bound to a key does without one. */
	function principalOf(session: SessionRow, key: ApiKeyRow | null): Principal | undefined {
		const sessionId = encodeId(session.id);
		if (session.keyId === null) {
			return { keyId: null, sessionId, mode: session.mode, permissions: ['admin'], formId: null };
		}
		const holder = key === null ? undefined : keys.holderOf(key);
		return holder && { ...holder, sessionId };
	}

	return {
		/** Signs the holder of a key in. Answers the session's token. */
		async openWithKey({ mode, keyId }: Principal): Promise<string> {
			const id = decodeId(keyId ?? '');
			// Without a key it would be a session of a set-up link, which may do everything.
			if (id === undefined) throw new Error(`A session was to be opened for ${keyId}, which is no key.`);
			return open(mode, id);
		},
		/** Signs in by a set-up link, which works once. Answers the session's token. @throws AppError UNAUTHORIZED */
		async openWithLink(token: string): Promise<string> {
			const isValid = and(eq(setupLinks.hash, hashToken(token)), gt(setupLinks.expiresAt, now()));
			const [used] = await storage.batch((tx) => [tx.delete(setupLinks).where(isValid).returning()]);
			if (used.length === 0) throw unauthorized(true);
			return open('live', null);
		},
		/** Makes the token of a new set-up link. */
		async createLink(): Promise<string> {
			const token = randomToken();
			const row = { hash: hashToken(token), expiresAt: now() + LINK_LIFETIME_MS };
			await storage.batch((tx) => [tx.insert(setupLinks).values(row)]);
			return token;
		},
		/** The session of a token, if it has not ended; `isUse` puts the end off. */
		async find(token: string, { isUse }: { isUse: boolean }): Promise<Session | undefined> {
			const [found] = await byHash().execute({ hash: hashToken(token) });
			if (!found || endOf(found.session) <= now()) return undefined;
			const { session, key } = found;
			const principal = principalOf(session, key);
			if (!principal) return undefined;
			if (isUse) noteUse(session);
			return {
				id: session.id,
				principal,
				modes: session.keyId === null ? MODES : [principal.mode],
				expiresAt: new Date(Math.min(endOf(session), key?.expiresAt ?? Number.POSITIVE_INFINITY)),
			};
		},
		/** Moves a session that is bound to no key to the other mode. */
		async switchMode({ id }: Session, mode: Mode): Promise<void> {
			await storage.batch((tx) => [tx.update(sessions).set({ mode }).where(eq(sessions.id, id))]);
		},
		async close(token: string): Promise<void> {
			await storage.batch((tx) => [tx.delete(sessions).where(eq(sessions.hash, hashToken(token)))]);
		},
		/** Upkeep: removes what ended by its age. */
		async expire(): Promise<void> {
			await storage.batch((tx) => [
				tx.delete(sessions).where(lte(sessions.id, firstIdAt(now() - LIFETIME_MS))),
				tx.delete(sessions).where(lte(sessions.lastSeenAt, now() - IDLE_MS)),
				tx.delete(setupLinks).where(lte(setupLinks.expiresAt, now())),
			]);
		},
	};
}

/** When a session ends if nobody uses it any more, in milliseconds since 1970. */
function endOf({ id, lastSeenAt }: SessionRow): number {
	return Math.min(lastSeenAt + IDLE_MS, idToMillis(id) + LIFETIME_MS);
}

function randomToken(): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url');
}
