/** Dashboard sessions: opened by a key, an invitation to use one or a member, whose permissions and expiry they share, or by a setup link. */

import { and, desc, eq, inArray, lt, lte, sql } from 'drizzle-orm';
import { AppError } from '../../errors.ts';
import { decodeId, encodeId } from '../../ids.ts';
import type { Keys } from '../../keys/keys.ts';
import type { KeyPrincipal, Principal } from '../../keys/permissions.ts';
import { hashToken } from '../../keys/token.ts';
import type { Storage } from '../../storage/contract.ts';
import { type ApiKeyRow, apiKeys, type SessionRow, sessions } from '../../storage/session-tables.ts';
import { MODES, type Mode } from '../../storage/tables.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../tasks/durations.ts';
import { lazy } from '../../tasks/lazy.ts';
import { createLinks, randomToken } from './links.ts';
import type { SignedIn } from './schema.ts';

const IDLE_MS = 12 * HOUR_MS;
export const LIFETIME_MS = 7 * DAY_MS;
/** The newest are kept. Any key opens sessions, as fast as its rate allows, and a list of sessions reads all of them. */
const MOST_PER_KEY = 1000;

/** An open session; `modes` are those it may switch between. */
export interface Session {
	id: number;
	principal: KeyPrincipal;
	/** The address of the member whose session it is. */
	email: string | null;
	modes: readonly Mode[];
	expiresAt: Date;
}

/** How a person signed in, for the audit log. */
interface Entrance {
	way: 'key' | 'link' | 'proxy' | 'oidc';
	/** By which the person was known. */
	email?: string;
}

/** A session with the key that it was opened with. */
interface Stored {
	session: SessionRow;
	key: ApiKeyRow | null;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(storage: Storage, { keys, now = Date.now }: { keys: Keys; now?: () => number }) {
	const ages = createAges(storage, now);
	const links = createLinks(storage, { keys, now });
	const selectStored = () =>
		storage.db
			.select({ session: sessions, key: apiKeys })
			.from(sessions)
			.leftJoin(apiKeys, eq(sessions.keyId, apiKeys.id));
	const byHash = lazy(() =>
		selectStored()
			.where(eq(sessions.hash, sql.placeholder('hash')))
			.prepare(),
	);

	function present({ session, key }: Stored, caller: Principal | undefined): SignedIn {
		const id = encodeId(session.id);
		return {
			id,
			key: key && { id: encodeId(key.id), name: key.name, display: key.display },
			mode: session.mode,
			createdAt: ages.createdAt({ session, key }),
			lastSeenAt: new Date(session.lastSeenAt).toISOString(),
			expiresAt: ages.endDate({ session, key }).toISOString(),
			isCurrent: id === caller?.sessionId,
		};
	}

	async function open(mode: Mode, keyId: number | null, entrance: Entrance): Promise<string> {
		const token = randomToken();
		const row = { id: storage.nextId(), hash: hashToken(token), keyId, mode, lastSeenAt: now() };
		const session = encodeId(row.id);
		const actor = keyId === null ? `session:${session}` : `key:${encodeId(keyId)}`;
		const ofKey = eq(sessions.keyId, keyId ?? -1);
		await storage.batch(
			(tx) => {
				const { id } = sessions;
				const one = tx.select({ id }).from(sessions).where(ofKey).orderBy(desc(id)).limit(1).offset(MOST_PER_KEY);
				return [tx.insert(sessions).values(row), tx.delete(sessions).where(and(ofKey, lte(id, one)))];
			},
			() => ({ object: `session:${session}`, by: { actor, session, mode }, facts: { ...entrance } }),
		);
		return token;
	}

	/** Stores the time of use, to the minute. Best effort: a failure only ends the session earlier. */
	function touchLastUsed({ id, lastSeenAt }: SessionRow): void {
		const at = now();
		if (Math.abs(at - lastSeenAt) < MINUTE_MS) return;
		// Unless another request did so since, which may have come later and been faster.
		const isSame = and(eq(sessions.id, id), eq(sessions.lastSeenAt, lastSeenAt));
		storage.batch((tx) => [tx.update(sessions).set({ lastSeenAt: at }).where(isSame)], null).catch(() => {});
	}

	/** `undefined` if the key of the session is gone or not valid. Sessions of setup links have no key. */
	async function principalOf(session: SessionRow, key: ApiKeyRow | null): Promise<KeyPrincipal | undefined> {
		const sessionId = encodeId(session.id);
		if (session.keyId === null) {
			return { keyId: null, sessionId, mode: session.mode, permissions: ['admin'], formIds: null };
		}
		const principal = key === null ? undefined : await keys.principalOf(key);
		return principal && { ...principal, sessionId };
	}

	/** Open sessions that `caller` may see, newest first; without a caller, all. */
	async function visibleTo(caller: Principal | undefined): Promise<Stored[]> {
		const rows: Stored[] = await selectStored().orderBy(desc(sessions.id));
		return rows.filter(({ session, key }) => {
			const isOpen = ages.endOf(session) > now() && (key ? keys.isValid(key) : session.keyId === null);
			return isOpen && (!caller || maySee(key, caller));
		});
	}

	async function remove(rows: readonly Stored[]): Promise<void> {
		const ids = rows.map(({ session }) => session.id);
		await storage.batch(
			(tx) => [tx.delete(sessions).where(inArray(sessions.id, ids))],
			() => ({ counts: { sessions: ids.length } }),
		);
	}

	return {
		/** Open sessions that `caller` may see, newest first; without a caller, all. */
		async list(caller?: Principal): Promise<SignedIn[]> {
			return (await visibleTo(caller)).map((row) => present(row, caller));
		},
		async isAlive(id: string): Promise<boolean> {
			return (await visibleTo(undefined)).some(({ session }) => encodeId(session.id) === id);
		},
		/** Ends a session. @throws AppError NOT_FOUND if `caller` may see no such session */
		async end(id: string, caller?: Principal): Promise<void> {
			const found = (await visibleTo(caller)).filter(({ session }) => encodeId(session.id) === id);
			if (found.length === 0) throw new AppError('NOT_FOUND', `There is no session "${id}".`);
			await remove(found);
		},
		/** Ends the sessions that `caller` may see, except its own, and unused links if it may. @returns how many sessions */
		async endOthers(caller?: Principal): Promise<number> {
			const others = (await visibleTo(caller)).filter(({ session }) => encodeId(session.id) !== caller?.sessionId);
			await remove(others);
			if (!caller || maySee(null, caller)) await storage.batch(links.revoke);
			return others.length;
		},
		/** Signs in by a key, or a member. @returns the session's token */
		async openWithKey({ mode, keyId }: KeyPrincipal, entrance: Entrance = { way: 'key' }): Promise<string> {
			const id = decodeId(keyId ?? '');
			// A session without a key is one of a setup link, which may do everything.
			if (id === undefined) throw new Error(`Cannot open a session for ${keyId}: it is not the id of a key.`);
			return open(mode, id, entrance);
		},
		/** Signs in by a setup link or an invitation, which work once. @returns the session's token. @throws AppError UNAUTHORIZED */
		async openWithLink(token: string): Promise<string> {
			const { mode, keyId } = await links.use(token);
			return open(mode, keyId, { way: 'link' });
		},
		/** @returns the token of a new setup link */
		createLink: links.create,
		/** @returns the token of a new invitation to use a key */
		invite: links.invite,
		/** The open session of a token; `isUse` postpones its idle end. */
		async find(token: string, { isUse }: { isUse: boolean }): Promise<Session | undefined> {
			const [found] = await byHash().execute({ hash: hashToken(token) });
			if (!found || ages.endOf(found.session) <= now()) return undefined;
			const { session, key } = found;
			const principal = await principalOf(session, key);
			if (!principal) return undefined;
			if (isUse) touchLastUsed(session);
			return {
				id: session.id,
				principal,
				email: key?.email ?? null,
				modes: session.keyId === null ? MODES : [principal.mode],
				expiresAt: ages.endDate(found),
			};
		},
		/** Only for sessions of setup links: a key has one mode. */
		async switchMode({ id }: Session, mode: Mode): Promise<void> {
			await storage.batch(
				(tx) => [tx.update(sessions).set({ mode }).where(eq(sessions.id, id))],
				() => ({ facts: { mode } }),
			);
		},
		async close(token: string): Promise<void> {
			await storage.batch((tx) => [tx.delete(sessions).where(eq(sessions.hash, hashToken(token)))]);
		},
		async expire(): Promise<void> {
			await storage.batch((tx) => [
				tx.delete(sessions).where(lt(sessions.id, ages.oldest())),
				tx.delete(sessions).where(lte(sessions.lastSeenAt, now() - IDLE_MS)),
				...links.expire(tx),
			]);
		},
	};
}

/** A key may see sessions of keys in its mode; a live key also those of setup links; a session of a setup link may see all. */
function maySee(key: ApiKeyRow | null, caller: Principal): boolean {
	return caller.keyId === null || (key?.mode ?? 'live') === caller.mode;
}

/** When sessions begin and end. */
function createAges({ clock }: Pick<Storage, 'clock'>, now: () => number) {
	/** The id of the first session within the lifetime. */
	const oldest = () => clock.timeline().firstIdAfter(now() - LIFETIME_MS);

	/** When a session ends without further use, in milliseconds since 1970. A time in the future, from before the clock was set back, counts as now. */
	function endOf({ id, lastSeenAt }: SessionRow): number {
		if (id < oldest()) return 0;
		const at = now();
		const createdAt = Math.min(clock.timeline().millisOf(id), at);
		return Math.min(Math.min(lastSeenAt, at) + IDLE_MS, createdAt + LIFETIME_MS);
	}

	return {
		oldest,
		endOf,
		/** For display: the key's expiry included. */
		endDate: ({ session, key }: Stored) =>
			new Date(Math.min(endOf(session), key?.expiresAt ?? Number.POSITIVE_INFINITY)),
		createdAt: ({ session }: Stored): string => clock.timeline().isoOf(session.id),
	};
}
