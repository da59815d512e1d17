/** The stored state of the built-in captcha: its signing secret, and the used challenges. */

import { eq, lt } from 'drizzle-orm';
import type { Storage } from '../storage/storage.ts';
import { serverValues, usedChallenges } from '../storage/tables.ts';
import type { AltchaOptions } from './altcha.ts';

const SECRET_NAME = 'altcha_secret';

export function createAltchaStore(
	storage: Storage,
	now: () => number = Date.now,
): Pick<Required<AltchaOptions>, 'secret' | 'consume'> {
	let loading: Promise<string> | undefined;

	return {
		/** Created on first use, then constant for the life of the database. */
		secret() {
			loading ??= loadSecret(storage).catch((error: unknown) => {
				loading = undefined;
				throw error;
			});
			return loading;
		},
		/** On disk when it resolves, so that a used challenge stays used after a restart. */
		async consume(challenge, expiresAt) {
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
