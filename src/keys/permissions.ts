/** Who may do what: decided from a key's permissions and scope alone, before any object is looked at. */

import { AppError } from '../errors.ts';
import type { Mode, Permission } from '../storage/tables.ts';

/**
 * Who is asking: the holder of a valid key, or of a session, which is one of a key or came by a set-up link. `formId`
 * confines a form-level key to one form (its public id).
 */
export interface Principal {
	keyId: string | null;
	sessionId: string | null;
	mode: Mode;
	permissions: readonly Permission[];
	formId: string | null;
}

/** What a route asks for. `form` names the path parameter a form-level key is confined to; without it, such keys are refused. */
export interface Access {
	permission: Permission;
	form?: string;
	/** The route by itself shows a form-level key nothing but its own form. */
	isConfined?: boolean;
	/** What a test key never does, such as send. */
	isLiveOnly?: boolean;
}

/** `admin` holds every permission; no other permission implies another. */
export function hasPermission(permissions: readonly Permission[], permission: Permission): boolean {
	return permissions.includes(permission) || permissions.includes('admin');
}

/**
 * @throws AppError UNAUTHORIZED without a principal, FORBIDDEN if the permission or the scope is missing. A
 * form-level key gets one and the same answer for every form but its own, whether or not that form exists.
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
		throw new AppError('FORBIDDEN', 'Nothing leaves the house in test mode. Use a live key.');
	}
	return principal;
}

/**
 * What lets content out, or leads it elsewhere, although by its route it only writes or deletes: whoever does it must be
 * allowed to read. See docs/decisions/0074-who-decides-where-content-goes.md.
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

/** Whom the limits of requests count: a key with its sessions, or the session of a set-up link. */
export function countedAs({ keyId, sessionId }: Principal): string {
	return keyId ?? sessionId ?? '';
}

/** The one answer to a missing, malformed, unknown, revoked or expired key. */
export function unauthorized(wasSent: boolean): AppError {
	const challenge = 'Bearer realm="formsrv"';
	return new AppError('UNAUTHORIZED', 'A valid API key is required: Authorization: Bearer <API_KEY>.', {
		headers: { 'WWW-Authenticate': wasSent ? `${challenge}, error="invalid_token"` : challenge },
	});
}
