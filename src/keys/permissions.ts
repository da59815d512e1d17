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
	if (!principal) throw unauthorized(false);
	if (principal.formId !== null) {
		const isOwnForm = access.isConfined || (access.form !== undefined && params[access.form] === principal.formId);
		if (!isOwnForm) throw new AppError('FORBIDDEN', 'This form-level key only reads the submissions of its own form.');
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
const LETS_OUT = {
	notificationEmail: 'Changing notificationEmail decides who reads the submissions of the form',
	formerSlug: 'Taking the former address of another form leads its submissions here',
	search: 'Choosing submissions by what is in them tells what is in them',
} as const;
export type Disclosure = keyof typeof LETS_OUT;

/** @throws AppError FORBIDDEN that names the permission to read */
export function authorizeDisclosure({ permissions }: Principal, disclosure: Disclosure): void {
	if (hasPermission(permissions, 'read')) return;
	throw new AppError('FORBIDDEN', `${LETS_OUT[disclosure]}. This key lacks the permission "read" for it.`);
}

/** The subject of rate limits: a key with its sessions, or the session of a set-up link. */
export function countedAs({ keyId, sessionId }: Principal): string {
	return keyId ?? sessionId ?? '';
}

/** The one error for a missing, malformed, unknown, revoked or expired key. */
export function unauthorized(wasSent: boolean): AppError {
	const challenge = 'Bearer realm="formsrv"';
	return new AppError('UNAUTHORIZED', 'A valid API key is required: Authorization: Bearer <API_KEY>.', {
		headers: { 'WWW-Authenticate': wasSent ? `${challenge}, error="invalid_token"` : challenge },
	});
}
