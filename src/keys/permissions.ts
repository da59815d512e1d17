/** Authorization: decided from the permissions and scope of a principal alone, before any object is read. */

import { AppError } from '../errors.ts';
import type { Mode, Permission } from '../storage/tables.ts';

/**
 * Whom a credential stands for: a valid key, or a session opened with a key or a set-up link. `formId` is the public id
 * of the only form that a form-level key may access.
 */
export interface Principal {
	keyId: string | null;
	sessionId: string | null;
	mode: Mode;
	permissions: readonly Permission[];
	formId: string | null;
}

/** What a route requires. `form` names the path parameter that must be the form of a form-level key; without it, such keys are rejected. */
export interface Access {
	permission: Permission;
	form?: string;
	/** The route itself limits a form-level key to its own form. */
	isConfined?: boolean;
	/** Test keys are rejected, because the route sends. */
	isLiveOnly?: boolean;
}

/** `admin` holds every permission; no other permission implies another. */
export function hasPermission(permissions: readonly Permission[], permission: Permission): boolean {
	return permissions.includes(permission) || permissions.includes('admin');
}

/**
 * @throws AppError UNAUTHORIZED without a principal, FORBIDDEN if the permission or the scope is missing. A
 * form-level key gets the same error for every other form, whether or not that form exists.
 */
export function authorize(
	principal: Principal | undefined,
	access: Access,
	params: Readonly<Record<string, string>> = {},
): Principal {
	if (!principal) throw unauthorized('missing');
	if (principal.formId !== null) {
		const isOwnForm = access.isConfined || (access.form !== undefined && params[access.form] === principal.formId);
		if (!isOwnForm) throw new AppError('FORBIDDEN', 'This form-level key is for the submissions of its own form only.');
	}
	if (!hasPermission(principal.permissions, access.permission)) {
		throw new AppError('FORBIDDEN', `This key lacks the permission "${access.permission}".`);
	}
	if (access.isLiveOnly && principal.mode !== 'live') {
		throw new AppError('FORBIDDEN', 'In test mode nothing is sent. Use a live key.');
	}
	return principal;
}

/**
 * Changes that disclose or divert content, although their route only writes or deletes: they need the permission to
 * read as well. See docs/decisions/0074-who-decides-where-content-goes.md.
 */
const DISCLOSURES = {
	notificationEmail: 'Changing notificationEmail decides who reads the submissions of the form',
	attachFiles: 'Setting attachFiles sends the files of submissions by mail',
	formerSlug: 'Taking the former address of another form leads its submissions here',
	search: 'Choosing submissions by what is in them tells what is in them',
} as const;
export type Disclosure = keyof typeof DISCLOSURES;

/** @throws AppError FORBIDDEN that names the permission to read */
export function checkDisclosure({ permissions }: Principal, disclosure: Disclosure): void {
	if (hasPermission(permissions, 'read')) return;
	throw new AppError('FORBIDDEN', `${DISCLOSURES[disclosure]}. This key lacks the permission "read" for it.`);
}

/** Whose requests a limit counts together: a key's with those of its sessions, or those of a set-up link's session. */
export function callerOf({ keyId, sessionId }: Principal): string {
	return keyId ?? sessionId ?? '';
}

/** The one error for a missing, malformed, unknown, revoked or expired key. */
export function unauthorized(credential: 'missing' | 'invalid'): AppError {
	const challenge = 'Bearer realm="formsrv"';
	return new AppError('UNAUTHORIZED', 'A valid API key is required: Authorization: Bearer <API_KEY>.', {
		headers: { 'WWW-Authenticate': credential === 'invalid' ? `${challenge}, error="invalid_token"` : challenge },
	});
}
