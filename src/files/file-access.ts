/** Decides whether the bytes of a file may be given to a caller. */

import { AppError } from '../errors.ts';
import type { StoredFile } from '../storage/submission.ts';
import type { Permission } from '../storage/tables.ts';

/** The value of the parameter `infected` that confirms the download. */
export const INFECTED_CONFIRMATION = 'download';

export interface FileCaller {
	permissions: readonly Permission[];
	/** The parameter `infected` of the request. */
	infected?: string | undefined;
	/** Everyone with a link: none of them confirms anything. */
	isLink?: true;
}

/**
 * An infected file takes the permission `admin` and a confirmation; all others take what the route takes.
 * @throws AppError NOT_FOUND if there are no bytes, FORBIDDEN for an infected file
 */
export function checkFileAccess(
	{ name, key, scan }: Pick<StoredFile, 'name' | 'key' | 'scan'>,
	{ permissions, infected, isLink }: FileCaller,
): void {
	if (key === null) {
		throw new AppError(
			'NOT_FOUND',
			`Of the file ${JSON.stringify(name)} only its name and size were kept: it came with spam, was deleted by age, or was imported ` +
				'without its bytes.',
		);
	}
	if (scan !== 'infected') return;
	const found = `The virus scanner found something in the file ${JSON.stringify(name)}`;
	if (isLink) throw new AppError('FORBIDDEN', `${found}; no link leads to it.`);
	if (!permissions.includes('admin')) {
		throw new AppError('FORBIDDEN', `${found}; only a key with the permission admin can download it.`);
	}
	if (infected !== INFECTED_CONFIRMATION) {
		const confirm = `add infected=${INFECTED_CONFIRMATION}, or --infected on the command line`;
		throw new AppError('FORBIDDEN', `${found}; to have it all the same, ${confirm}.`);
	}
}

/** Returns whether there are bytes that anyone with a link may have. */
export function mayBeLinked({ key, scan }: Pick<StoredFile, 'key' | 'scan'>): boolean {
	return key !== null && scan !== 'infected';
}
