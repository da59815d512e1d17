/** Pure: the records of files that a submission was stored without, and their text form. For browsers too. */

import type { Key } from '../languages/catalogue.ts';
import type { Sentence } from '../languages/translation.ts';

/** Why a file was left out, as the code of the error that would otherwise have rejected the submission. */
const REASONS = {
	FILE_TYPE_NOT_ALLOWED: 'droppedType',
	FILE_TOO_LARGE: 'droppedSize',
	TOO_MANY_FILES: 'droppedMany',
	FILES_FULL: 'droppedFull',
	UNAVAILABLE: 'droppedUnavailable',
} as const satisfies Record<string, Key>;

export type DropReason = keyof typeof REASONS;

export interface DroppedFile {
	field: string;
	name: string;
	bytes: number;
	reason: DropReason;
}

/** The files left out of a submission, as in its `meta`. */
export interface Dropped {
	/** Names of fields that the form has no rule for. */
	dropped?: readonly string[] | undefined;
	/** At most {@link DROPPED_FILES_MAX}. */
	droppedFiles?: readonly DroppedFile[] | undefined;
	/** The number of others. */
	moreDroppedFiles?: number | undefined;
}

export const DROPPED_FILES_MAX = 20;

export function isDropReason(code: string): code is DropReason {
	return Object.hasOwn(REASONS, code);
}

/** Reads them from the `meta` of a stored submission; nothing if that is unreadable. */
export function parseDropped(meta: string | null | undefined): Dropped {
	try {
		return droppedOf(JSON.parse(meta ?? '{}'));
	} catch {
		return {};
	}
}

/** The members of a `meta` on dropped fields and files. */
export function droppedOf({ dropped, droppedFiles, moreDroppedFiles }: Dropped): Dropped {
	return {
		...(dropped && { dropped }),
		...(droppedFiles && { droppedFiles }),
		...(moreDroppedFiles && { moreDroppedFiles }),
	};
}

/** A line for each file, and one for those that are only counted. */
export function describeDropped({ droppedFiles = [], moreDroppedFiles = 0 }: Dropped): Sentence[] {
	const lines = droppedFiles.map(
		({ name, bytes, reason }): Sentence => [
			'droppedFile',
			{ name, size: { bytes }, reason: { says: [REASONS[reason]] } },
		],
	);
	return moreDroppedFiles > 0 ? [...lines, ['droppedMore', { count: moreDroppedFiles }]] : lines;
}
