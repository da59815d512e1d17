/** Authorization: decided from the permissions and scope of a principal alone, before any object is read. */

import { AppError } from '../errors.ts';
import type { Mode, Permission } from '../storage/tables.ts';

/**
 * Whom a credential stands for: a valid key, or a session opened with a key or a setup link; or the operator, who runs a command
 * on the machine of the server. `formIds` are the public ids of the only forms that a form-level key may access.
 */
export interface Principal {
	keyId: string | null;
	sessionId: string | null;
	/** `undefined`: both, for the operator. */
	mode: Mode | undefined;
	permissions: readonly Permission[];
	formIds: readonly string[] | null;
	/** The user of the operating system. No request can say so: the command calls the routes in its own process. */
	operator?: string;
}

/** That of a key or session, which has one mode. */
export type KeyPrincipal = Principal & { mode: Mode };

/** The mode of what cannot be in both. */
export const modeOf = ({ mode = 'live' }: Pick<Principal, 'mode'>): Mode => mode;

/** The access that a route requires. `form` names the path parameter that must be a form of a form-level key; without it, such keys are rejected. */
export interface Access {
	permission: Permission;
	form?: string;
	/** True if the effect of the route reveals what was submitted: then it takes the permission to read as well. */
	isTelling?: boolean;
	/** The route itself limits a form-level key to its own forms. */
	isConfined?: boolean;
	/** Test keys are rejected, because the route sends, or because it goes through live forms too. */
	isLiveOnly?: keyof typeof LIVE_ONLY;
}

const LIVE_ONLY = {
	sends: 'In test mode nothing is sent. Use a live key.',
	erases: 'It goes through the forms of both modes. Use a live key.',
} as const;

/** The permissions that a route requires, all of them. */
export const neededFor = ({ permission, isTelling }: Access): Permission[] =>
	isTelling ? [permission, 'read'] : [permission];

/** `admin` holds every permission; no other permission implies another. */
export function hasPermission(permissions: readonly Permission[], permission: Permission): boolean {
	return permissions.includes(permission) || permissions.includes('admin');
}

/**
 * @throws AppError UNAUTHORIZED without a principal, FORBIDDEN if the permission or the scope is missing. A
 * form-level key gets the same error for everything else, whether or not there is such a form.
 */
export function authorize(
	principal: Principal | undefined,
	access: Access,
	params: Readonly<Record<string, string>> = {},
): void {
	if (!principal) throw unauthorized('missing');
	if (principal.formIds !== null) {
		const isOwnForm =
			access.isConfined || (access.form !== undefined && principal.formIds.includes(params[access.form] ?? ''));
		if (!isOwnForm) throw beyondOwnForms(`the permission "${access.permission}"`);
	}
	for (const permission of neededFor(access)) {
		if (hasPermission(principal.permissions, permission)) continue;
		throw new AppError('FORBIDDEN', `This key lacks the permission "${permission}".`);
	}
	if (access.isLiveOnly && modeOf(principal) !== 'live') {
		throw new AppError('FORBIDDEN', LIVE_ONLY[access.isLiveOnly]);
	}
}

/** Returns whether it sees only what belongs to its own forms. */
export const isFormLevel = ({ formIds }: Principal): boolean => formIds !== null;

/**
 * Changes that disclose, divert or delete content, although their route only writes or deletes: they need the permission to
 * read, or to delete, as well. See docs/decisions/0074-who-decides-where-content-goes.md.
 */
const DISCLOSURES = {
	notificationEmail: 'Changing notificationEmail decides who reads the submissions of the form',
	notification: 'Changing notification decides what of the submissions of the form is sent to whom',
	routes: 'Changing routes decides who reads the submissions of the form',
	attachFiles: 'Setting attachFiles sends the files of submissions by mail',
	formerSlug: 'Taking the former address of another form leads its submissions here',
	spam: 'Changing the spam settings reveals, by the counts, the content of submissions',
	unique: 'Making a field unique reveals, by what is rejected, the values that submissions have in it',
	search: 'Selecting submissions by their content reveals that content',
	retention: 'Changing retention deletes submissions',
	keptIn: 'Changing keptIn decides which file can delete the form',
} as const;
export type Disclosure = keyof typeof DISCLOSURES;
const DELETING = new Set<Disclosure>(['retention', 'keptIn']);

/** @throws AppError FORBIDDEN that names the permission to read, or to delete */
export function checkDisclosure({ permissions }: Principal, disclosure: Disclosure): void {
	const needed = DELETING.has(disclosure) ? 'delete' : 'read';
	if (hasPermission(permissions, needed)) return;
	throw new AppError('FORBIDDEN', `${DISCLOSURES[disclosure]}. This key lacks the permission "${needed}" for it.`);
}

/** Returns a change of flags. @throws AppError FORBIDDEN for a form-level key that wants something sent */
export function checkMark<Change extends { sendWithheld?: boolean }>(change: Change, principal: Principal): Change {
	if (change.sendWithheld && isFormLevel(principal))
		throw beyondOwnForms('the permission "write", because sendWithheld sends');
	return change;
}

function beyondOwnForms(need: string): AppError {
	return new AppError(
		'FORBIDDEN',
		`A form-level key reads and marks the submissions of its own forms, and nothing else. This takes a key for all forms with ${need}.`,
	);
}

/** Whose requests a limit counts together: a key's with those of its sessions, or those of a setup link's session. */
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
