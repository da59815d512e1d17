/** Creates, lists, rotates, revokes and authenticates API keys. */

import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { AppError, invalidField } from '../errors.ts';
import { decodeId, encodeId } from '../ids.ts';
import type { Db, Storage } from '../storage/contract.ts';
import { UniqueViolation } from '../storage/errors.ts';
import { type ApiKeyRow, apiKeys, keyForms as keyFormRows, type Mode, type Permission } from '../storage/tables.ts';
import { MINUTE_MS } from '../tasks/durations.ts';
import { lazy } from '../tasks/lazy.ts';
import { KEY_NAME_MAX } from './bounds.ts';
import { createKeyForms } from './key-forms.ts';
import { type KeyPrincipal, unauthorized } from './permissions.ts';
import type { ApiKey } from './schema.ts';
import { createToken, displayToken, hashToken, isToken } from './token.ts';

const LAST_USED_RESOLUTION_MS = MINUTE_MS;
/** Later ones have a year of more than four digits. */
const LAST_MOMENT_MS = Date.UTC(9999, 11, 31);

export interface NewKey {
	mode: Mode;
	name?: string;
	permissions: readonly Permission[];
	/** The public ids or slugs of forms, for a form-level key, which is for the submissions of those forms only. */
	forms?: readonly string[];
	/** Rejects a form of the other mode as unknown, as the API does; without this the key gets the mode of its form. */
	isModeStrict?: boolean;
	expiresAt?: Date;
}

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

	async function find(id: string): Promise<ApiKeyRow | undefined> {
		const keyId = decodeId(id) ?? -1;
		const [row] = await storage.db.select().from(apiKeys).where(eq(apiKeys.id, keyId));
		return row;
	}

	/** @throws AppError NOT_FOUND if there is no such key (in that mode). */
	async function findIn(id: string, mode: Mode | undefined): Promise<ApiKeyRow> {
		const row = await find(id);
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

	/** Returns whether a stored key is valid now. */
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

	/** The values of a new key, and the forms of a form-level one. @throws AppError VALIDATION_ERROR, FORM_NOT_FOUND */
	async function checked(input: NewKey): Promise<{ values: NewValues; formIds: number[] }> {
		const name = (input.name ?? '').trim();
		if (name.length > KEY_NAME_MAX) {
			throw invalidField('name', 'INVALID_NAME', `name must have at most ${KEY_NAME_MAX} characters.`);
		}
		if (input.expiresAt && input.expiresAt.getTime() <= now()) {
			throw invalidField('expiresAt', 'INVALID_DATE', 'expiresAt must lie in the future.');
		}
		const ofForms = await keyForms.find(input);
		const [form] = ofForms;
		const values = {
			mode: form?.mode ?? input.mode,
			formId: form?.id ?? null,
			name,
			permissions: [...new Set(input.permissions)],
			expiresAt: input.expiresAt?.getTime() ?? null,
		};
		return { values, formIds: ofForms.map(({ id }) => id) };
	}

	async function store(row: ApiKeyRow, formIds: readonly number[]): Promise<ApiKey> {
		const forms = row.formId === null ? null : formIds.map(encodeId);
		const key = toResponse(row, forms);
		const several = formIds.length > 1 ? formIds.map((formId) => ({ keyId: row.id, formId })) : [];
		await storage.batch(
			(tx) => [tx.insert(apiKeys).values(row), ...several.map((one) => tx.insert(keyFormRows).values(one))],
			() => ({ ...recordedOf(row), facts: { ...factsOf(row), ...(forms && { forms: forms.join() }) } }),
		);
		return key;
	}

	return {
		isValid,
		principalOf,
		/** Returns whether there is a valid key with this id. */
		async isAlive(id: string): Promise<boolean> {
			const row = await find(id);
			return row !== undefined && isValid(row);
		},
		/** The principal of a key; `undefined` if there is no valid one with this id. */
		async principalWithId(id: number): Promise<KeyPrincipal | undefined> {
			const row = await find(encodeId(id));
			return row && principalOf(row);
		},
		/** The principal of the member with an address, in lower case; `undefined` if there is no valid one. */
		async principalOfMember(email: string): Promise<KeyPrincipal | undefined> {
			const isMember = and(eq(apiKeys.email, email), isNull(apiKeys.revokedAt));
			const [row] = await storage.db.select().from(apiKeys).where(isMember);
			return row && principalOf(row);
		},
		/** Creates a key. `token` is the key itself, which only this call returns. */
		async create(input: NewKey): Promise<{ token: string; key: ApiKey }> {
			const { values, formIds } = await checked(input);
			const { token, row } = newRow(storage.nextId(), values);
			return { token, key: await store(row, formIds) };
		},
		/**
		 * Creates a member: a key without a token, for a person who signs in as this address.
		 * @throws AppError CONFLICT if there is one with the address
		 */
		async createMember(email: string, input: NewKey): Promise<ApiKey> {
			const { values, formIds } = await checked(input);
			const id = storage.nextId();
			// No token hashes to this.
			const hash = `member:${encodeId(id)}`;
			return store({ ...values, ...UNUSED, id, hash, display: email, email }, formIds).catch((error) => {
				if (!(error instanceof UniqueViolation)) throw error;
				throw new AppError('CONFLICT', `${email} is a member already, perhaps an expired one: revoke that one first.`);
			});
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
				throw new AppError('CONFLICT', `${old.email} is a member, who signs in without a key: there is none to rotate.`);
			}
			const at = now();
			const madeAt = storage.clock.timeline().millisOf(old.id);
			const expiresAt = old.expiresAt === null ? null : Math.min(at + old.expiresAt - madeAt, LAST_MOMENT_MS);
			const { token, row } = newRow(storage.nextId(), { ...old, expiresAt });
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

function shownKey(
	row: ApiKeyRow,
	{ formIds, createdAt }: { formIds: readonly string[] | null; createdAt: string },
): ApiKey {
	const time = (millis: number | null) => (millis === null ? null : new Date(millis).toISOString());
	return {
		id: encodeId(row.id),
		name: row.name,
		display: row.display,
		email: row.email,
		mode: row.mode,
		form: formIds?.[0] ?? null,
		forms: formIds && [...formIds],
		permissions: row.permissions,
		createdAt,
		expiresAt: time(row.expiresAt),
		lastUsedAt: time(row.lastUsedAt),
		revokedAt: time(row.revokedAt),
	};
}

type NewValues = Pick<ApiKeyRow, 'mode' | 'formId' | 'name' | 'permissions' | 'expiresAt'>;

const UNUSED = { revokedAt: null, lastUsedAt: null, isRotated: false };

function newRow(id: number, { mode, formId, name, permissions, expiresAt }: NewValues) {
	const token = createToken(formId === null ? mode : 'form');
	const credential = { hash: hashToken(token), display: displayToken(token), email: null };
	const row: ApiKeyRow = { ...UNUSED, ...credential, id, mode, formId, name, permissions, expiresAt };
	return { token, row };
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

/** The key that an entry of the audit log is about. */
function recordedOf({ id, mode, formId }: ApiKeyRow) {
	return { mode, object: `key:${encodeId(id)}`, ...(formId !== null && { formId }) };
}

/** By which a person recognises it when it is gone. */
function factsOf({ name, display, permissions }: ApiKeyRow) {
	return { name, display, permissions: permissions.join() };
}
