/** A key pair of age, the private one in a file as age-keygen writes it. */

import { writeFileSync } from 'node:fs';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';

export async function newAgeKey(file: string) {
	const identity = await generateX25519Identity();
	const recipient = await identityToRecipient(identity);
	writeFileSync(file, `# created: 2026-01-31T00:00:00Z\n# public key: ${recipient}\n${identity}\n`);
	return { file, recipient };
}
