/** Puts together the parts that judge submissions. */

import type { RateLimiter } from '../http/rate-limit.ts';
import type { Log } from '../log/log.ts';
import type { Storage } from '../storage/contract.ts';
import { createServerSecret } from '../storage/server-secret.ts';
import type { FormRow } from '../storage/tables.ts';
import { createWordModels } from './bayes/models.ts';
import { createTraining } from './bayes/training.ts';
import { createWordRules } from './bayes/word-rules.ts';
import { createJudge } from './judge.ts';
import { createLists } from './lists/lists.ts';
import { createDisposableCheck } from './sender/disposable.ts';
import { createLoadTimeTokens } from './sender/load-time-tokens.ts';

interface SpamOptions {
	formRate: Pick<RateLimiter, 'isOver'>;
	/** A file with domains of disposable mail addresses, in place of the list in the program. */
	disposableDomains: string | null;
	log?: Log;
	now?: () => number;
}

export type Spam = ReturnType<typeof createSpam>;

export function createSpam(storage: Storage, { formRate, disposableDomains, log, now = Date.now }: SpamOptions) {
	const stamps = createLoadTimeTokens({ secret: createServerSecret(storage, 'stamp-secret'), now });
	const models = createWordModels(storage, { log });
	const lists = createLists(storage);
	return {
		stamps,
		lists,
		models,
		training: createTraining(storage, models),
		/** Reads what judging needs; `undefined` if that is there already, as usual. To be called again until it is. */
		prepare(form: FormRow): Promise<void> | undefined {
			const ofModels = models.prepare(form);
			const ofLists = lists.prepare(form);
			return ofModels || ofLists ? Promise.all([ofModels, ofLists]).then(() => {}) : undefined;
		},
		judge: createJudge({
			wordRules: createWordRules(models),
			lists,
			stamps,
			judgeMail: createDisposableCheck(disposableDomains),
			formRate,
			now,
		}),
	};
}
