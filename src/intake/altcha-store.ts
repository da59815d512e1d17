/** What the proof of work has to remember: the secret that signs it, and the challenges that were used up. */

import { eq, lt } from 'drizzle-orm';
import type { Storage } from '../storage/storage.ts';
import { serverValues, usedChallenges } from '../storage/tables.ts';
import type { AltchaOptions } from './altcha.ts';

const SECRET_NAME = 'altcha_secret';

export function createAltchaStore(
	storage: Storage,
	now: () => number = Date.now,
): Pick<Required<AltchaOptions>, 'secret' | 'spend'> {
	let loading: Promise<string> | undefined;

	return {
		/** Made at the first need, then the same for as long as the database lives. */
		secret() {
			loading ??= loadSecret(storage).catch((error: unknown) => {
				loading = undefined;
				throw error;
			});
			return loading;
		},
		/** On disk when it resolves: a restart does not make a used challenge new. */
		async spend(challenge, expiresAt) {
			const [, added] = await storage.batch((tx) => [
				tx.delete(usedChallenges).where(lt(usedChallenges.expiresAt, now())),
				tx.insert(usedChallenges).values({ challenge, expiresAt }).onConflictDoNothing().returning(),
			]);
			return added.length === 1;
		},
	};
}

async function loadSecret(storage: Storage): Promise<string> {
	const fresh = { name: SECRET_NAME, value: crypto.getRandomValues(new Uint8Array(32)).toHex() };
	const [, rows] = await storage.batch((tx) => [
		tx.insert(serverValues).values(fresh).onConflictDoNothing(),
		tx.select().from(serverValues).where(eq(serverValues.name, SECRET_NAME)),
	]);
	return rows[0]?.value ?? fresh.value;
}
