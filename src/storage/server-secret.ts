/** A secret that the server makes for itself on first use, then constant for the life of the database. */

import { eq } from 'drizzle-orm';
import type { Storage } from './contract.ts';
import { serverValues } from './tables.ts';

/** @returns a function that resolves to the secret, 64 hexadecimal characters */
export function createServerSecret(storage: Pick<Storage, 'batch'>, name: string): () => Promise<string> {
	let loading: Promise<string> | undefined;
	return () => {
		loading ??= load(storage, name).catch((error: unknown) => {
			loading = undefined;
			throw error;
		});
		return loading;
	};
}

/** Signs texts with such a secret, and recognises what it signed. */
export function createSigner(storage: Pick<Storage, 'batch'>, name: string) {
	const secret = createServerSecret(storage, name);

	async function sign(text: string): Promise<string> {
		return new Bun.CryptoHasher('sha256', await secret()).update(text).digest('base64url');
	}

	return {
		sign,
		async isSigned(text: string, signature: string): Promise<boolean> {
			const expected = Buffer.from(await sign(text));
			const given = Buffer.from(signature);
			return given.length === expected.length && crypto.timingSafeEqual(given, expected);
		},
	};
}

async function load(storage: Pick<Storage, 'batch'>, name: string): Promise<string> {
	const fresh = { name, value: crypto.getRandomValues(new Uint8Array(32)).toHex() };
	const [, rows] = await storage.batch(
		(tx) => [
			tx.insert(serverValues).values(fresh).onConflictDoNothing(),
			tx.select().from(serverValues).where(eq(serverValues.name, name)),
		],
		() => null,
	);
	return rows[0]?.value ?? fresh.value;
}
