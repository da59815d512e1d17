/** Creates keys and members. */

import { AppError, invalidField } from '../errors.ts';
import { encodeId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import { UniqueViolation } from '../storage/errors.ts';
import { type ApiKeyRow, apiKeys, keyForms as keyFormRows } from '../storage/session-tables.ts';
import type { Mode, Permission } from '../storage/tables.ts';
import { characterCount } from '../text/character-count.ts';
import { KEY_NAME_MAX } from './bounds.ts';
import type { KeyForms } from './key-forms.ts';
import { factsOf, type NewValues, newRow, recordedOf, shownKey, UNUSED } from './key-row.ts';
import type { ApiKey } from './schema.ts';

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

export function createNewKeys(storage: Storage, { keyForms, now }: { keyForms: KeyForms; now: () => number }) {
	/** The values of a new key, and the forms of a form-level one. @throws AppError VALIDATION_ERROR, FORM_NOT_FOUND */
	async function checked(input: NewKey): Promise<{ values: NewValues; formIds: number[] }> {
		const name = (input.name ?? '').trim();
		if (characterCount(name) > KEY_NAME_MAX) {
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
		const key = shownKey(row, { formIds: forms, createdAt: storage.clock.timeline().isoOf(row.id) });
		const several = formIds.length > 1 ? formIds.map((formId) => ({ keyId: row.id, formId })) : [];
		await storage.batch(
			(tx) => [tx.insert(apiKeys).values(row), ...several.map((one) => tx.insert(keyFormRows).values(one))],
			() => ({ ...recordedOf(row), facts: { ...factsOf(row), ...(forms && { forms: forms.join() }) } }),
		);
		storage.events.publish({ type: 'keys' });
		return key;
	}

	return {
		/** Creates a key. `token` is the key itself, which only this call returns. */
		async create(input: NewKey): Promise<{ token: string; key: ApiKey }> {
			const { values, formIds } = await checked(input);
			const { token, row } = newRow(storage.nextId(), values);
			return { token, key: await store(row, formIds) };
		},
		/**
		 * Creates a member: a key without a token, for a person who signs in as this address.
		 * @throws AppError CONFLICT if there is one with the address in this mode
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
	};
}
