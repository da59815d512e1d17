/** The meaning of a failed statement: a violated constraint, a database that cannot store anything now, or an unknown outcome. */

import { Unavailable, UniqueViolation } from '../errors.ts';

/** After which nothing was stored and the same may succeed later: no resources, read-only, no permission, no table, a timeout, shutting down. */
const UNAVAILABLE = /^(?:53|57P|57014|58|25006|25P03|25P04|42501|42P01|55P03)/;
/** Rolled back in favour of another transaction, which may have deleted a row that was referred to; the same may succeed at once. */
const AGAIN = new Set(['40001', '40P01', '23503']);
/** Errors of the server after which the commit may have happened nevertheless. */
const UNKNOWN = /^(?:08|57P|25006|40003)/;

/** Codes of the network and the driver. */
const CONNECTION = /^(?:CONNECT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)/;

interface ServerError {
	code: string;
	message: string;
	severity: string;
	constraint_name?: string;
}

/** Returns the server's error inside the driver's. Detected by its members: in the compiled program its class has another name. */
export function serverError(error: unknown): ServerError | undefined {
	return error instanceof Error && 'severity' in error ? (error as Error & ServerError) : undefined;
}

const codeOf = (error: unknown) => serverError(error)?.code ?? '';

/** Also of what features see of it. */
const codeBehind = (error: unknown) => codeOf(error) || codeOf((error as Error | undefined)?.cause);

/** The statement took longer than it may. */
export const isTimedOut = (error: unknown) => codeBehind(error) === '57014';

/** Another submission has the id. */
export const isIdTaken = (error: unknown) => serverError(error)?.constraint_name === 'submissions_pkey';

/** Others held a lock for longer than it was waited for. */
export const isHeldUp = (error: unknown) => codeOf(error) === '55P03';

export const mayTryAgain = (error: unknown) => AGAIN.has(codeOf(error));

/** Error of a read-only database: nothing was stored. */
export const isReadOnly = (error: unknown) => codeOf(error) === '25006';

/** Because of settings that the session began with; another may have others. */
export const isOfSession = (error: unknown) => /^(?:25006|42P01|55P03|57014)/.test(codeBehind(error));

/** There was no connection for the statement. */
export const isUnsent = (error: unknown) => codeOf(error) === '53300';

/** Returns whether a writing statement that failed with this was rolled back for sure. */
export function isRolledBack(error: unknown): boolean {
	const known = serverError(error);
	return known !== undefined && known.severity === 'ERROR' && !UNKNOWN.test(known.code);
}

/** The connection is gone, or the server is. */
export function isAway(error: unknown): boolean {
	const known = serverError(error);
	if (known) return known.severity !== 'ERROR' || UNAVAILABLE.test(known.code);
	return CONNECTION.test(`${(error as { code?: unknown } | null)?.code}`);
}

/** Converts a failure into the error that features see; other errors stay as they are. */
export function asStorageError(error: unknown): unknown {
	if (codeOf(error) === '23505') return new UniqueViolation('unique', { cause: error });
	return isAway(error) ? new Unavailable(error, 'reach its database') : error;
}
