/** TLS on a connection, as the address of the database asks for it. */

import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect } from 'node:tls';
import { FILE_MAX, readBounded } from '../../../config/bounded-file.ts';
import type { PostgresAddress, PostgresHost } from '../../../config/postgres-url.ts';
import { distrusted, hungUp, offersNoTls, unreadable } from './dial-error.ts';

type Tls = PostgresAddress['tls'];

/** Asks whether the server speaks TLS, before anything else is said. */
const REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S';

export async function secure(socket: Socket, { host, tls }: { host: PostgresHost; tls: Tls }): Promise<Socket> {
	if (tls.mode === 'disable') return socket;
	if ((await ask(socket, host)) === YES) return handshake(socket, { host, tls });
	if (tls.mode === 'prefer') return socket;
	throw offersNoTls(host, tls.mode);
}

/** A second byte comes from a third party between, not from the server. */
async function ask(socket: Socket, host: PostgresHost): Promise<string> {
	const answer = once(socket, 'data');
	const end = once(socket, 'close').then(() => Promise.reject(hungUp(host)));
	socket.write(REQUEST);
	const [bytes] = (await Promise.race([answer, end])) as [Buffer];
	return bytes.toString('latin1');
}

async function handshake(socket: Socket, { host, tls }: { host: PostgresHost; tls: Tls }): Promise<Socket> {
	const options = tlsOptions(host, tls);
	const secured = connect({ ...options, socket, servername: isIP(host.host) ? undefined : host.host });
	try {
		await once(secured, 'secureConnect');
		return secured;
	} catch (error) {
		throw distrusted(error, host);
	}
}

function read(parameter: string, path: string): Buffer {
	try {
		return readBounded(path, FILE_MAX.settings);
	} catch (error) {
		throw unreadable(error, parameter);
	}
}

function tlsOptions({ host }: PostgresHost, { mode, rootCertificate, certificate, key }: Tls): ConnectionOptions {
	const own = certificate !== null && key !== null && { cert: read('sslcert', certificate), key: read('sslkey', key) };
	// As with psql, authorities that are named count.
	if (mode === 'prefer' || (mode === 'require' && rootCertificate === null))
		return { ...own, rejectUnauthorized: false };
	return {
		...own,
		...(rootCertificate !== null && { ca: read('sslrootcert', rootCertificate) }),
		checkServerIdentity: (_, peer) => (mode === 'verify-full' ? checkServerIdentity(host, peer) : undefined),
	};
}
