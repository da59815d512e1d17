/** Creates, lists, rotates, revokes and authenticates API keys. */

import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { AppError } from '../errors.ts';
import { decodeId, encodeId } from '../ids.ts';
import type { Db, Storage } from '../storage/contract.ts';
import { type ApiKeyRow, apiKeys, keyForms as keyFormRows } from '../storage/session-tables.ts';
import type { Mode } from '../storage/tables.ts';
import { MINUTE_MS } from '../tasks/durations.ts';
import { lazy } from '../tasks/lazy.ts';
import { LAST_MS } from '../text/timestamp.ts';
import { createKeyForms } from './key-forms.ts';
import { factsOf, newRow, recordedOf, shownKey } from './key-row.ts';
import { createNewKeys } from './new-keys.ts';
import { type KeyPrincipal, unauthorized } from './permissions.ts';
import type { ApiKey } from './schema.ts';
import { hashToken, isToken } from './token.ts';

const LAST_USED_RESOLUTION_MS = MINUTE_MS;

export type Keys = ReturnType<typeof createKeys>;

export function createKeys(storage: Storage, now: () => number = Date.now) {
	const keyForms = createKeyForms(storage);
	const byHash = lazy(() =>
		storage.db
			.select()
			.from(apiKeys)
			.where(eq(apiKeys.hash, sql.placeholder('hash')))
			.prepare(),
	);

	const toResponse = (row: ApiKeyRow, formIds: readonly string[] | null) =>
		shownKey(row, { formIds, createdAt: storage.clock.timeline().isoOf(row.id) });

	async function find(id = -1): Promise<ApiKeyRow | undefined> {
		const [row] = await storage.db.select().from(apiKeys).where(eq(apiKeys.id, id));
		return row;
	}

	/** @throws AppError NOT_FOUND if there is no such key (in that mode). */
	async function findIn(id: string, mode: Mode | undefined): Promise<ApiKeyRow> {
		const row = await find(decodeId(id));
		if (!row || (mode && row.mode !== mode)) throw new AppError('NOT_FOUND', `There is no key "${id}".`);
		return row;
	}

	async function present(row: ApiKeyRow): Promise<ApiKey> {
		return toResponse(row, (await keyForms.of([row])).get(row.id) ?? null);
	}

	/** Records the last use of a key, to the minute; a failure is ignored. */
	function touchLastUsed(row: ApiKeyRow): void {
		const at = now();
		if (row.lastUsedAt !== null && Math.abs(at - row.lastUsedAt) < LAST_USED_RESOLUTION_MS) return;
		const touch = (tx: Db) => [tx.update(apiKeys).set({ lastUsedAt: at }).where(eq(apiKeys.id, row.id))];
		storage.batch(touch, null).catch(() => {});
	}

	function isValid({ revokedAt, expiresAt }: ApiKeyRow): boolean {
		return revokedAt === null && (expiresAt === null || expiresAt > now());
	}

	/** The principal of a stored key; `undefined` if the key is no longer valid. Records a use of the key. */
	async function principalOf(row: ApiKeyRow): Promise<KeyPrincipal | undefined> {
		if (!isValid(row)) return undefined;
		touchLastUsed(row);
		return {
			keyId: encodeId(row.id),
			sessionId: null,
			mode: row.mode,
			permissions: row.permissions,
			formIds: row.formId === null ? null : ((await keyForms.of([row])).get(row.id) ?? []),
		};
	}

	return {
		...createNewKeys(storage, { keyForms, now }),
		isValid,
		principalOf,
		/** Returns whether there is a valid key with this id. */
		async isAlive(id: string): Promise<boolean> {
			const row = await find(decodeId(id));
			return row !== undefined && isValid(row);
		},
		/** The principal of a key; `undefined` if there is no valid one with this id. */
		async principalWithId(id: number): Promise<KeyPrincipal | undefined> {
			const row = await find(id);
			return row && principalOf(row);
		},
		/** The principal of the member with an address, in lower case; `undefined` if there is no valid one. Live mode comes first. */
		async principalOfMember(email: string): Promise<KeyPrincipal | undefined> {
			const isMember = and(eq(apiKeys.email, email), isNull(apiKeys.revokedAt));
			const rows = await storage.db.select().from(apiKeys).where(isMember).orderBy(apiKeys.mode);
			const row = rows.find(isValid);
			return row && principalOf(row);
		},
		/** @throws AppError NOT_FOUND if there is no such key (in that mode). */
		get: async (id: string, mode?: Mode): Promise<ApiKey> => present(await findIn(id, mode)),
		/** All keys, or those of one mode, newest first. */
		async list(mode?: Mode): Promise<ApiKey[]> {
			const rows = await storage.db
				.select()
				.from(apiKeys)
				.where(mode && eq(apiKeys.mode, mode))
				.orderBy(desc(apiKeys.id));
			const formIds = await keyForms.of(rows);
			return rows.map((row) => toResponse(row, formIds.get(row.id) ?? null));
		},
		/**
		 * Puts a new key with the same name, rights and lifetime in the place of a valid one.
		 * @param overlapMs How long the old one stays valid beside it; 0: it is revoked at once.
		 * @throws AppError NOT_FOUND if there is no such key (in that mode), CONFLICT if it is no longer valid, was rotated before, or is a member.
		 */
		async rotate(
			id: string,
			{ mode, overlapMs }: { mode?: Mode | undefined; overlapMs: number },
		): Promise<{ token: string; key: ApiKey }> {
			const old = await findIn(id, mode);
			if (old.email !== null) {
				throw new AppError(
					'CONFLICT',
					`${old.email} is a member, who signs in without a key: there is none to rotate.`,
				);
			}
			const at = now();
			const newId = storage.nextId();
			// Both times come from ids, as `createdAt` does: an id may be some milliseconds ahead of the clock.
			const { millisOf } = storage.clock.timeline();
			const ageMs = millisOf(newId) - millisOf(old.id);
			const expiresAt = old.expiresAt === null ? null : Math.min(old.expiresAt + ageMs, LAST_MS);
			const { token, row } = newRow(newId, { ...old, expiresAt });
			// Nothing may fail between the commit and the response, which alone has the key.
			const key = toResponse(row, (await keyForms.of([old])).get(old.id) ?? null);
			await storage.batch(
				(tx) => rotation(tx, { old, row, at, overlapMs }),
				([valid]) => {
					if (valid.length === 0)
						throw new AppError(
							'CONFLICT',
							`The key "${id}" was revoked, has expired or was rotated: create a new one.`,
						);
					return { ...recordedOf(row), facts: { ...factsOf(row), replaces: encodeId(old.id) } };
				},
			);
			storage.events.publish({ type: 'keys' });
			return { token, key };
		},
		/**
		 * Revokes a key; its next request is rejected. Idempotent.
		 * @throws AppError NOT_FOUND if there is no such key (in that mode).
		 */
		async revoke(id: string, mode?: Mode): Promise<ApiKey> {
			const row = await findIn(id, mode);
			if (row.revokedAt !== null) return present(row);
			const revokedAt = now();
			await storage.batch(
				(tx) => [tx.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.id, row.id))],
				() => ({ ...recordedOf(row), facts: factsOf(row) }),
			);
			storage.events.publish({ type: 'keys' });
			return present({ ...row, revokedAt });
		},
		/**
		 * Authenticates a key by its stored row, so that a change by any process applies at once.
		 * @param token The token of the request, if any.
		 * @throws AppError UNAUTHORIZED, the same for every cause.
		 */
		async authenticate(token: string | undefined): Promise<KeyPrincipal> {
			if (token === undefined) throw unauthorized('missing');
			if (!isToken(token)) throw unauthorized('invalid');
			const [row] = await byHash().execute({ hash: hashToken(token) });
			const principal = row && (await principalOf(row));
			if (!principal) throw unauthorized('invalid');
			return principal;
		},
	};
}

/** Ends an old key, which is in the first result if it was valid, and stores the new one for the same forms. */
function rotation(
	tx: Db,
	{ old, row, at, overlapMs }: { old: ApiKeyRow; row: ApiKeyRow; at: number; overlapMs: number },
) {
	const end = at + overlapMs;
	const ended = overlapMs === 0 ? { revokedAt: at } : { expiresAt: Math.min(old.expiresAt ?? end, end) };
	const { id, revokedAt, expiresAt, isRotated } = apiKeys;
	const isLasting = and(isNull(revokedAt), or(isNull(expiresAt), gt(expiresAt, at)), eq(isRotated, false));
	const { keyId, formId } = keyFormRows;
	const sameForms = tx
		.select({ keyId: sql<number>`${row.id}`.as('key_id'), formId })
		.from(keyFormRows)
		.where(eq(keyId, old.id));
	return [
		tx
			.update(apiKeys)
			.set({ ...ended, isRotated: true })
			.where(and(eq(id, old.id), isLasting))
			.returning({ id }),
		tx.insert(apiKeys).values(row),
		tx.insert(keyFormRows).select(sameForms),
	] as const;
}
