/** Why no connection could be made, as a sentence for the operator. */

import { connectionName, type PostgresHost } from '../../../config/postgres-url.ts';

/** The code if a connection ended that had been made, or hung up at once. */
export const CLOSED = 'CONNECT_CLOSED';

/** Its code begins with CONNECT, as those of the driver do. */
export class DialError extends Error {
	readonly code: string;

	constructor(code: `CONNECT_${string}`, message: string, cause?: unknown) {
		super(message, { cause });
		this.name = 'DialError';
		this.code = code;
	}
}

const REASONS: Record<string, (host: string) => string> = {
	ECONNREFUSED: (host) => `Nothing listens at ${host}.`,
	ENOENT: (host) => `There is no socket ${host}.`,
	EACCES: (host) => `The socket ${host} is not open to this user.`,
	ENOTFOUND: (host) => `There is no such host as in ${host}.`,
	EAI_AGAIN: (host) => `The host in ${host} cannot be looked up at the moment.`,
	EHOSTUNREACH: (host) => `No network leads to ${host}.`,
	ENETUNREACH: (host) => `No network leads to ${host}.`,
};

/** @param error Of the system. */
export function unreachable(error: unknown, host: PostgresHost): DialError {
	if (error instanceof DialError) return error;
	const { code = '', message } = error as { code?: string; message: string };
	const name = connectionName(host);
	return new DialError('CONNECT_FAILED', REASONS[code]?.(name) ?? `${name} cannot be reached: ${message}.`, error);
}

export function silent(host: PostgresHost, ms: number): DialError {
	return new DialError('CONNECT_TIMEOUT', `${connectionName(host)} does not answer within ${ms / 1000} seconds.`);
}

export function hungUp(host: PostgresHost): DialError {
	return new DialError(
		CLOSED,
		`${connectionName(host)} takes connections and hangs up, as a proxy without a database does.`,
	);
}

export function offersNoTls(host: PostgresHost, mode: string): DialError {
	return new DialError(
		'CONNECT_TLS',
		`${connectionName(host)} offers no TLS, and sslmode=${mode} asks for it: set ssl = on there, or another sslmode in FORMSRV_DATABASE_URL.`,
	);
}

/** @param error Of the handshake, such as that of a certificate. */
export function distrusted(error: unknown, host: PostgresHost): DialError {
	const { message } = error as Error;
	return new DialError(
		'CONNECT_TLS',
		`TLS with ${connectionName(host)} fails: ${message.replace(/\.$/, '')}. sslrootcert and sslmode in FORMSRV_DATABASE_URL say whom to trust.`,
		error,
	);
}

/** @param error Of a file that a parameter of the address names. */
export function unreadable(error: unknown, parameter: string): DialError {
	const { message } = error as Error;
	return new DialError('CONNECT_TLS', `The ${parameter} of FORMSRV_DATABASE_URL cannot be read: ${message}.`, error);
}

export function standby(host: PostgresHost): DialError {
	return new DialError('CONNECT_FAILED', `${connectionName(host)} is a standby, which can only be read.`);
}

/** @param errors One of each server of the address. */
export function noneAnswers(errors: readonly unknown[]): unknown {
	const [first] = errors;
	if (errors.length === 1) return first;
	return new DialError('CONNECT_FAILED', errors.map((error) => (error as Error).message).join(' '), first);
}
