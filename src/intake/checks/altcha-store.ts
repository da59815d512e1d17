/** The stored state of the built-in captcha: its signing secret, and the used challenges. */

import { lt } from 'drizzle-orm';
import type { Storage } from '../../storage/contract.ts';
import { createServerSecret } from '../../storage/server-secret.ts';
import { usedChallenges } from '../../storage/tables.ts';
import type { AltchaOptions } from './altcha.ts';

const SECRET_NAME = 'altcha_secret';

export function createAltchaStore(
	storage: Storage,
	now: () => number = Date.now,
): Pick<Required<AltchaOptions>, 'secret' | 'consume'> {
	return {
		secret: createServerSecret(storage, SECRET_NAME),
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
