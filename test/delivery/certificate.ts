/** A self-signed certificate for tests. */

import { join } from 'node:path';
import { generate, type SubjectAltNameEntry } from 'selfsigned';

/** Writes `key.pem` and `cert.pem` into the folder. */
export async function makeCertificate(
	folder: string,
	name: SubjectAltNameEntry = { type: 7, ip: '127.0.0.1' },
): Promise<void> {
	const made = await generate([{ name: 'commonName', value: 'test' }], {
		extensions: [{ name: 'subjectAltName', altNames: [name] }],
	});
	await Bun.write(join(folder, 'key.pem'), made.private);
	await Bun.write(join(folder, 'cert.pem'), made.cert);
}
