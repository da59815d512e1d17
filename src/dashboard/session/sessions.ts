/** People signed in to the dashboard: by a key, whose rights and end they share, or by a set-up link. */

import { and, between, desc, eq, inArray, lt, lte, notBetween, sql } from 'drizzle-orm';
import { AppError } from '../../errors.ts';
import { decodeId, encodeId } from '../../ids.ts';
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
import type { SignedIn } from '../sessions/schema.ts';

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

/** A session with the key that it was opened with. */
interface Stored {
	session: SessionRow;
	key: ApiKeyRow | null;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(storage: Storage, { keys, now = Date.now }: { keys: Keys; now?: () => number }) {
	const ages = createAges(storage, now);
	const byHash = lazy(() =>
		storage.db
			.select({ session: sessions, key: apiKeys })
			.from(sessions)
			.leftJoin(apiKeys, eq(sessions.keyId, apiKeys.id))
			.where(eq(sessions.hash, sql.placeholder('hash')))
			.prepare(),
	);

	function present({ session, key }: Stored, asker: Principal | undefined): SignedIn {
		const id = encodeId(session.id);
		return {
			id,
			key: key && { id: encodeId(key.id), name: key.name, display: key.display },
			mode: session.mode,
			createdAt: ages.createdAt({ session, key }),
			lastSeenAt: new Date(session.lastSeenAt).toISOString(),
			expiresAt: ages.endDate({ session, key }).toISOString(),
			isCurrent: id === asker?.sessionId,
		};
	}

	async function open(mode: Mode, keyId: number | null): Promise<string> {
		const token = randomToken();
		const row = { id: storage.nextId(), hash: hashToken(token), keyId, mode, lastSeenAt: now() };
		await storage.batch((tx) => [tx.insert(sessions).values(row)]);
		return token;
	}

	/** Notes that somebody is there, to the minute; a failure to do so is nobody's concern. */
	function touchLastUsed({ id, lastSeenAt }: SessionRow): void {
		const at = now();
		if (Math.abs(at - lastSeenAt) < MINUTE_MS) return;
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

	/** Those that are open and within an asker's reach, newest first; without one, all. */
	async function reachable(asker: Principal | undefined): Promise<Stored[]> {
		const rows: Stored[] = await storage.db
			.select({ session: sessions, key: apiKeys })
			.from(sessions)
			.leftJoin(apiKeys, eq(sessions.keyId, apiKeys.id))
			.orderBy(desc(sessions.id));
		return rows.filter(({ session, key }) => {
			const isOpen = ages.endOf(session) > now() && (key ? keys.isValid(key) : session.keyId === null);
			return isOpen && (!asker || isWithinReach(key, asker));
		});
	}

	async function remove(rows: readonly Stored[]): Promise<void> {
		const ids = rows.map(({ session }) => session.id);
		await storage.batch((tx) => [tx.delete(sessions).where(inArray(sessions.id, ids))]);
	}

	return {
		/** Those that are open and that an asker may know of, newest first; without an asker, all. */
		async list(asker?: Principal): Promise<SignedIn[]> {
			return (await reachable(asker)).map((row) => present(row, asker));
		},
		/** Ends a session, from its next request on. @throws AppError NOT_FOUND if there is none that the asker may know of */
		async end(id: string, asker?: Principal): Promise<void> {
			const found = (await reachable(asker)).filter(({ session }) => encodeId(session.id) === id);
			if (found.length === 0) throw new AppError('NOT_FOUND', `There is no session "${id}".`);
			await remove(found);
		},
		/**
		 * Ends all sessions but the asker's own, as far as it may know of them, and voids set-up links that nobody used yet,
		 * as far as it may do what they can; without an asker, all. Answers how many sessions there were.
		 */
		async endOthers(asker?: Principal): Promise<number> {
			const others = (await reachable(asker)).filter(({ session }) => encodeId(session.id) !== asker?.sessionId);
			await remove(others);
			if (!asker || isWithinReach(null, asker)) await storage.batch((tx) => [tx.delete(setupLinks)]);
			return others.length;
		},
		/** Signs the holder of a key in. Answers the session's token. */
		async openWithKey({ mode, keyId }: Principal): Promise<string> {
			const id = decodeId(keyId ?? '');
			// Without a key it would be a session of a set-up link, which may do everything.
			if (id === undefined) throw new Error(`A session was to be opened for ${keyId}, which is no key.`);
			return open(mode, id);
		},
		/** Signs in by a set-up link, which works once. Answers the session's token. @throws AppError UNAUTHORIZED */
		async openWithLink(token: string): Promise<string> {
			const isTimely = between(setupLinks.expiresAt, now() + 1, now() + LINK_LIFETIME_MS);
			const isValid = and(eq(setupLinks.hash, hashToken(token)), isTimely);
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
			if (!found || ages.endOf(found.session) <= now()) return undefined;
			const { session, key } = found;
			const principal = principalOf(session, key);
			if (!principal) return undefined;
			if (isUse) touchLastUsed(session);
			return {
				id: session.id,
				principal,
				modes: session.keyId === null ? MODES : [principal.mode],
				expiresAt: ages.endDate(found),
			};
		},
		/** Moves a session that is bound to no key to the other mode. */
		async switchMode({ id }: Session, mode: Mode): Promise<void> {
			await storage.batch((tx) => [tx.update(sessions).set({ mode }).where(eq(sessions.id, id))]);
		},
		async close(token: string): Promise<void> {
			await storage.batch((tx) => [tx.delete(sessions).where(eq(sessions.hash, hashToken(token)))]);
		},
		/** Maintenance: removes what ended by its age. */
		async expire(): Promise<void> {
			await storage.batch((tx) => [
				tx.delete(sessions).where(lt(sessions.id, ages.oldest())),
				tx.delete(sessions).where(lte(sessions.lastSeenAt, now() - IDLE_MS)),
				tx.delete(setupLinks).where(notBetween(setupLinks.expiresAt, now() + 1, now() + LINK_LIFETIME_MS)),
			]);
		},
	};
}

/** A key reaches the sessions of keys of its mode. A set-up link may do everything: its sessions are for live ones, and reach all. */
function isWithinReach(key: ApiKeyRow | null, asker: Principal): boolean {
	return asker.keyId === null || (key?.mode ?? 'live') === asker.mode;
}

/** When sessions began and end. */
function createAges({ clock }: Pick<Storage, 'clock'>, now: () => number) {
	/** The first session that is not too old. */
	const oldest = () => clock.timeline().firstIdAfter(now() - LIFETIME_MS);

	/** In milliseconds since 1970, if it is not used any more. What lies ahead is of a clock that was set back since. */
	function endOf({ id, lastSeenAt }: SessionRow): number {
		if (id < oldest()) return 0;
		const at = now();
		const madeAt = Math.min(clock.timeline().millisOf(id), at);
		return Math.min(Math.min(lastSeenAt, at) + IDLE_MS, madeAt + LIFETIME_MS);
	}

	return {
		oldest,
		endOf,
		/** For people: with that of its key. */
		endDate: ({ session, key }: Stored) =>
			new Date(Math.min(endOf(session), key?.expiresAt ?? Number.POSITIVE_INFINITY)),
		createdAt: ({ session }: Stored): string => clock.timeline().isoOf(session.id),
	};
}

function randomToken(): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url');
}
