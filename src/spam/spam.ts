/** What judges submissions, put together. */

import type { RateLimiter } from '../http/rate-limit.ts';
import type { Log } from '../log.ts';
import { createServerSecret } from '../storage/server-secret.ts';
import type { Storage } from '../storage/storage.ts';
import { createWordModels } from './bayes/models.ts';
import { createTraining } from './bayes/training.ts';
import { createWordRules } from './bayes/word-rules.ts';
import { createJudge } from './judge.ts';
import { createDisposableCheck } from './sender/disposable.ts';
import { createStamps } from './sender/stamps.ts';

export interface SpamOptions {
	formRate: Pick<RateLimiter, 'isOver'>;
	/** A file with domains of disposable mail addresses, in place of the list in the program. */
	disposableDomains: string | null;
	log?: Log;
	now?: () => number;
}

export type Spam = ReturnType<typeof createSpam>;

export function createSpam(storage: Storage, { formRate, disposableDomains, log, now = Date.now }: SpamOptions) {
	const stamps = createStamps({ secret: createServerSecret(storage, 'stamp-secret'), now });
	const models = createWordModels(storage, log);
	return {
		stamps,
		models,
		training: createTraining(storage, models),
		judge: createJudge({
			rules: createWordRules(models),
			stamps,
			judgeMail: createDisposableCheck(disposableDomains),
			formRate,
			now,
		}),
	};
}
