/** Pure: the row of a key, how it is shown, and what the audit log says of it. */

import { encodeId } from '../ids.ts';
import type { ApiKeyRow } from '../storage/session-tables.ts';
import type { ApiKey } from './schema.ts';
import { createToken, displayToken, hashToken } from './token.ts';

export function shownKey(
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

export type NewValues = Pick<ApiKeyRow, 'mode' | 'formId' | 'name' | 'permissions' | 'expiresAt'>;

/** The state of a new key. */
export const UNUSED = { revokedAt: null, lastUsedAt: null, isRotated: false };

export function newRow(id: number, { mode, formId, name, permissions, expiresAt }: NewValues) {
	const token = createToken(formId === null ? mode : 'form');
	const credential = { hash: hashToken(token), display: displayToken(token), email: null };
	const row: ApiKeyRow = { ...UNUSED, ...credential, id, mode, formId, name, permissions, expiresAt };
	return { token, row };
}

/** The key that an entry of the audit log is about. */
export function recordedOf({ id, mode, formId }: ApiKeyRow) {
	return { mode, object: `key:${encodeId(id)}`, ...(formId !== null && { formId }) };
}

/** By which a person recognises it when it is gone. */
export function factsOf({ name, display, permissions }: ApiKeyRow) {
	return { name, display, permissions: permissions.join() };
}
