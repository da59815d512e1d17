/** What a failed statement means: a constraint that spoke, or storage that cannot take anything now. */

import { AppError } from '../errors.ts';

const UNAVAILABLE = /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|NOMEM)/;
const RETRY_AFTER_SECONDS = 30;

function codeOf(error: unknown): string {
	const candidates = [error, (error as { cause?: unknown } | null)?.cause];
	for (const candidate of candidates) {
		const code = (candidate as { code?: unknown } | null)?.code;
		if (typeof code === 'string') return code;
	}
	return '';
}

export function isUniqueViolation(error: unknown): boolean {
	return codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE';
}

export function isMissingValue(error: unknown): boolean {
	return codeOf(error) === 'SQLITE_CONSTRAINT_NOTNULL';
}

export function isMissingParent(error: unknown): boolean {
	return codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Turns "disk full", "I/O error" and the like into `UNAVAILABLE`; every other error is returned as it is. */
export function asStorageError(error: unknown): unknown {
	if (!UNAVAILABLE.test(codeOf(error))) return error;
	return new AppError('UNAVAILABLE', 'The server cannot store anything at the moment. Please try again shortly.', {
		retryAfterSeconds: RETRY_AFTER_SECONDS,
		cause: error,
	});
}
