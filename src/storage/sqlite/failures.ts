/** The meaning of a failed statement: a violated constraint, or storage that cannot take anything now. */

import { accessSync } from 'node:fs';
import { Unavailable, UniqueViolation } from '../errors.ts';

const UNAVAILABLE = /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|NOMEM)/;

function codeOf(error: unknown): string {
	const candidates = [error, (error as { cause?: unknown } | null)?.cause];
	for (const candidate of candidates) {
		const code = (candidate as { code?: unknown } | null)?.code;
		if (typeof code === 'string' && code.startsWith('SQLITE_')) return code;
	}
	return '';
}

export function isMissingParent(error: unknown): boolean {
	return codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** A full disk, an I/O error and the like: nothing is wrong with the statement. */
export function isStorageFailure(error: unknown): boolean {
	return UNAVAILABLE.test(codeOf(error));
}

/** The file does not hold what was written to it. */
export function isDamage(error: unknown): boolean {
	return /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Another connection writes. */
export function isBusy(error: unknown): boolean {
	return codeOf(error).startsWith('SQLITE_BUSY');
}

/** Why the file system denies access to a path, of which SQLite says only that it cannot be opened; `undefined` if it does not. */
export function denialOf(path: string, mode: number): NodeJS.ErrnoException | undefined {
	try {
		accessSync(path, mode);
		return undefined;
	} catch (error) {
		return error as NodeJS.ErrnoException;
	}
}

export function isDiskFull(error: unknown): boolean {
	return codeOf(error) === 'SQLITE_FULL';
}

/** Converts a failure into the error that features see: those of storage become `Unavailable`; other errors stay as they are. */
export function asStorageError(error: unknown): unknown {
	if (codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE') return new UniqueViolation('unique', { cause: error });
	return isStorageFailure(error) ? new Unavailable(error) : error;
}
