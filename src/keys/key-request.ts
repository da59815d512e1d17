/** Pure: checks a request for a new key against the rights of its maker. */

import { AppError, invalidField } from '../errors.ts';
import { PERMISSIONS } from '../storage/tables.ts';
import { parseTimestamp } from '../text/timestamp.ts';
import { memberAddress } from './member-address.ts';
import type { NewKey } from './new-keys.ts';
import { modeOf, type Principal } from './permissions.ts';
import type { CreateApiKey } from './schema.ts';

/**
 * A key creates keys of its own mode only. Creating needs `admin`, so no key has more rights than its maker.
 * @throws AppError VALIDATION_ERROR, FORBIDDEN
 */
export function newKeyOf(input: CreateApiKey, maker: Pick<Principal, 'mode'>): NewKey {
	const { name, permissions, expiresAt, mode = modeOf(maker) } = input;
	const forms = formsOf(input);
	if (maker.mode && mode !== maker.mode)
		throw new AppError('FORBIDDEN', `A ${maker.mode} key makes only ${maker.mode} keys.`);
	return {
		mode,
		isModeStrict: maker.mode !== undefined,
		...(name !== undefined && { name }),
		...(typeof expiresAt === 'string' && { expiresAt: parseTime(expiresAt) }),
		...(forms ? { forms, permissions: permissions?.length ? permissions : ['read'] } : accountScope(permissions)),
	};
}

/** The address of a new member. @throws AppError VALIDATION_ERROR */
export function newMemberAddress(email: string): string {
	const address = memberAddress(email);
	if (address !== undefined) return address;
	throw invalidField('email', 'INVALID_EMAIL', 'email must be one mail address, such as ada@example.org.');
}

function formsOf({ form, forms }: CreateApiKey): readonly string[] | undefined {
	if (form && forms) throw invalidField('form', 'CONFLICT', 'form cannot be combined with forms.');
	return forms ?? (form ? [form] : undefined);
}

function accountScope(permissions: CreateApiKey['permissions']): Pick<NewKey, 'permissions'> {
	if (!permissions || permissions.length === 0) {
		const sentence = `permissions must name at least one of: ${PERMISSIONS.join(', ')}.`;
		throw invalidField('permissions', 'REQUIRED', sentence);
	}
	return { permissions };
}

function parseTime(text: string): Date {
	const timestamp = parseTimestamp(text);
	if (timestamp?.isZoned) return new Date(timestamp.millis);
	throw invalidField('expiresAt', 'INVALID_DATE', 'expiresAt must be a moment such as 2027-01-31T00:00:00Z.');
}
