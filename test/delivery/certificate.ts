/** A certificate for tests that nobody vouches for. */

import { join } from 'node:path';

/** Writes `key.pem` and `cert.pem` into the folder. */
export async function makeCertificate(folder: string, name = 'IP:127.0.0.1'): Promise<void> {
	const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${name}`];
	const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
	const made = Bun.spawn(
		['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files],
		{
			stdout: 'ignore',
			stderr: 'ignore',
		},
	);
	if ((await made.exited) !== 0) throw new Error('openssl made no certificate');
}
