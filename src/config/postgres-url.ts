/** Parses the address of a PostgreSQL database, such as `postgres://user:password@db1:5432,db2:5432/forms?sslmode=verify-full`. */

import { isAddress } from '../network/address-ranges.ts';
import { decodePart, reject } from './value-problem.ts';

/** As psql has them; `prefer` is TLS if the server offers it, and `verify-full` alone says who the server is. */
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];
const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'options', 'target_session_attrs'] as const;
type Parameter = (typeof PARAMETERS)[number];
/** Another server could not be written to. */
const WRITABLE = ['read-write', 'primary'];

const PORT = 5432;
const MAX_PORT = 65_535;
const SYSTEM = 'system';

/** A host that begins with / is the folder of a socket. */
export interface PostgresHost {
	host: string;
	port: number;
}

export interface PostgresAddress {
	/** Tried one after the other for the one that can be written to. */
	hosts: PostgresHost[];
	user: string;
	password: string;
	database: string;
	tls: {
		mode: TlsMode;
		/** Paths of files; `null`: the authorities that the program knows. */
		rootCertificate: string | null;
		certificate: string | null;
		key: string | null;
	};
	/** Sent to the server as they are, such as `-c search_path=forms`. */
	options: string | null;
}

/** The password may hold any character, as far as the address can be told apart from it. */
const PARTS = /^(postgres(?:ql)?:\/\/)(?:([^:@/]*)(:.*)?@)?([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/is;

export function isPostgres(text: string): boolean {
	return /^postgres(?:ql)?:/i.test(text);
}

/** @throws ValueProblem without the address, which may contain a password */
export function parsePostgresUrl(text: string): PostgresAddress {
	const [, , user = '', password = ':', hosts = '', path = '', query = ''] = PARTS.exec(text) ?? reject(EXAMPLE);
	const parameters = parametersOf(query);
	const database = decode(path.slice(1));
	if (user === '' || database === '' || database.includes('/')) reject(EXAMPLE);
	const target = parameters.get('target_session_attrs') ?? 'primary';
	if (!WRITABLE.includes(target))
		reject('must have target_session_attrs=read-write or none, because the server writes');
	return {
		hosts: hostsOf(hosts, parameters.get('host')),
		user: decode(user),
		password: decode(password.slice(1)),
		database,
		tls: tlsOf(parameters),
		options: parameters.get('options') ?? null,
	};
}

/** `undefined` if it is not one of this machine. */
export function socketPath({ host, port }: PostgresHost): string | undefined {
	return host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : undefined;
}

/** As a server is called in messages. */
export function connectionName(host: PostgresHost): string {
	return socketPath(host) ?? `${host.host.includes(':') ? `[${host.host}]` : host.host}:${host.port}`;
}

export function hasPassword(url: string): boolean {
	return PARTS.exec(url)?.[3] !== undefined;
}

/** Sets the password of an address that has none. */
export function withPassword(url: string, password: string | null): string {
	return password === null ? url : url.replace('@', () => `:${encodeURIComponent(password)}@`);
}

/** For people. */
export function withoutPassword(url: string): string {
	return url.replace(PARTS, (whole: string, scheme: string, user = '', password = '') => {
		const before = scheme + user;
		return password === '' ? whole : `${before}:***${whole.slice(before.length + password.length)}`;
	});
}

const EXAMPLE = 'must be like postgres://user@host:5432/database: write a / of the user or the database as %2F';

function hostsOf(text: string, socket: string | undefined): PostgresAddress['hosts'] {
	if (socket !== undefined || /^%2F/i.test(text)) {
		const [, named = '', port = `${PORT}`] = /^(%2F[^:]*)?(?::(\d+))?$/i.exec(text) ?? [text, text];
		const folder = socket ?? decode(named);
		return folder.startsWith('/') && (socket === undefined || named === '')
			? [{ host: folder, port: Number(port) }]
			: reject('must have no parameter host but the folder of a socket');
	}
	return text.split(',').map((one) => {
		const [, bracketed, name, port = `${PORT}`] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(one) ?? [];
		const host = bracketed ?? name ?? '';
		const isHost = bracketed === undefined ? /^[\w.-]+$/.test(host) : isAddress(bracketed);
		if (!isHost || Number(port) < 1 || Number(port) > MAX_PORT) {
			return reject('must name each server as host or host:port, and several separated by commas');
		}
		return { host, port: Number(port) };
	});
}

function parametersOf(query: string): Map<Parameter, string> {
	const found = new Map<Parameter, string>();
	for (const [name, value] of new URLSearchParams(query)) {
		const known = PARAMETERS.find((one) => one === name);
		if (known === undefined) reject(`must have no parameters but ${PARAMETERS.join(', ')}`);
		else found.set(known, value);
	}
	return found;
}

function tlsOf(parameters: ReadonlyMap<Parameter, string>): PostgresAddress['tls'] {
	const text = parameters.get('sslmode') ?? 'prefer';
	const mode = TLS_MODES.find((one) => one === text) ?? reject(`must have an sslmode of ${TLS_MODES.join(', ')}`);
	const root = parameters.get('sslrootcert');
	const certificate = parameters.get('sslcert') ?? null;
	const key = parameters.get('sslkey') ?? null;
	if ((certificate === null) !== (key === null)) reject('must have both of sslcert and sslkey, or none');
	return { mode, rootCertificate: root === undefined || root === SYSTEM ? null : root, certificate, key };
}

const decode = (text: string) => decodePart(text, 'user, password and database');
