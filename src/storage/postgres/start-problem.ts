/** Explains to an operator why a database cannot be used, from the error of the first queries. */

import { connectionName, parsePostgresUrl } from '../../config/postgres-url.ts';
import { AppError } from '../../errors.ts';
import { Unavailable } from '../errors.ts';
import { serverError } from './failures.ts';

interface Place {
	role: string;
	database: string;
	servers: string;
}

type Sentence = (place: Place, message: string) => string;

/** By SQLSTATE, or by its first characters. */
const SENTENCES: Record<string, Sentence> = {
	'28P01': ({ role, servers }) =>
		`PostgreSQL at ${servers} does not accept the password of the role ${role}: set FORMSRV_DATABASE_PASSWORD, or FORMSRV_DATABASE_PASSWORD_FILE.`,
	'28': ({ role, servers }, message) => `PostgreSQL at ${servers} does not let the role ${role} in: ${message}.`,
	'3D000': ({ role, database, servers }) =>
		`There is no database ${database} at ${servers}. Make it there: create database ${database} owner ${role} template template0 encoding 'UTF8';`,
	'42501': ({ role, database }, message) =>
		`The role ${role} may not do everything in the database ${database}: ${message}. Make it the owner: alter database ${database} owner to ${role};`,
	'25006': ({ servers }) =>
		`The database at ${servers} can only be read, as that of a standby: name the primary in FORMSRV_DATABASE_URL, or all servers, separated by commas.`,
	'53300': ({ servers }, message) =>
		`PostgreSQL at ${servers} has no connection left: ${message}. A formsrv takes up to ${MOST_CONNECTIONS}; raise max_connections there.`,
	'57P03': ({ servers }, message) => `PostgreSQL at ${servers} is not ready yet: ${message}.`,
	CONNECT_FAILED: (_, message) => `${message} Check FORMSRV_DATABASE_URL, and that PostgreSQL runs there.`,
	CONNECT_TIMEOUT: ({ servers }) => `PostgreSQL at ${servers} takes connections, but does not answer.`,
};

/** Connections of all kinds that a server opens. */
const MOST_CONNECTIONS = 14;

/** An error with a sentence, or the same error if it has one. */
export function startProblem(error: unknown, url: string): unknown {
	if (error instanceof AppError && !(error instanceof Unavailable)) return error;
	const cause = error instanceof Unavailable ? error.cause : error;
	if (!(cause instanceof Error)) return error;
	const { hosts, user, database } = parsePostgresUrl(url);
	const known = serverError(cause);
	const code = known?.code ?? `${(cause as { code?: unknown }).code}`;
	const sentence = [code, code.slice(0, 2)].map((key) => SENTENCES[key]).find((one) => one !== undefined);
	const place = { role: user, database, servers: hosts.map(connectionName).join(', ') };
	const message = known?.message ?? cause.message;
	if (sentence) return new AppError('UNAVAILABLE', sentence(place, message), { cause });
	return new AppError('UNAVAILABLE', known ? `PostgreSQL at ${place.servers} says: ${message} (${code}).` : message, {
		cause,
	});
}
