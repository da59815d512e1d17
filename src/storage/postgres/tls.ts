/** TLS of the connections, as the address of the database asks for it. */

import { readFileSync } from 'node:fs';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import type { PostgresAddress } from '../../config/postgres-url.ts';

/** What the driver takes: no TLS, TLS without a look at the certificate, or how to look at it. */
export type TlsOptions = false | 'prefer' | ConnectionOptions;

export function tlsOptions({ tls, hosts }: Pick<PostgresAddress, 'tls' | 'hosts'>): TlsOptions {
	const { mode, rootCertificate, certificate, key } = tls;
	if (mode === 'disable' || mode === 'prefer') return mode === 'prefer' && 'prefer';
	const own = certificate !== null && key !== null && { cert: readFileSync(certificate), key: readFileSync(key) };
	// As with psql, authorities that are named count.
	if (mode === 'require' && rootCertificate === null) return { ...own, rejectUnauthorized: false };
	return {
		...own,
		...(rootCertificate !== null && { ca: readFileSync(rootCertificate) }),
		checkServerIdentity(name, peer) {
			if (mode !== 'verify-full') return undefined;
			// The driver does not say to which of the servers it speaks, and gives addresses no name.
			const faults = hosts.map(({ host }) => checkServerIdentity(host, peer));
			return faults.includes(undefined) ? undefined : (faults[0] ?? checkServerIdentity(name, peer));
		},
	};
}
