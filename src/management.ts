/** Services that only owners use, by requests or commands. A server makes them with the first of these, and may never need them. */

import type { Config } from './config.ts';
import type { Sessions } from './dashboard/sessions/sessions.ts';
import type { Dispatch } from './delivery/dispatch.ts';
import { manageDeliveries } from './delivery/management.ts';
import { createWebhooks } from './delivery/webhooks/webhooks.ts';
import type { LinkHolder } from './files/links.ts';
import { CAPTCHA_VENDORS, type Captcha } from './form-values/captchas.ts';
import { createForms } from './forms/forms.ts';
import { createConcurrencyLimit } from './http/concurrency-limit.ts';
import type { Keys } from './keys/keys.ts';
import type { GuardedPost } from './network/guarded-request.ts';
import type { Spam } from './spam/spam.ts';
import type { Storage } from './storage/contract.ts';
import { createBulk } from './submissions/bulk/bulk.ts';
import { createExplain } from './submissions/spam/explain.ts';
import { createStats } from './submissions/stats/stats.ts';
import { createSubmissions } from './submissions/submissions.ts';
import type { ByteBudget } from './tasks/byte-budget.ts';

/** Maximum number of concurrent exports and lists of large submissions. */
const LARGE_RESPONSES = {
	perCaller: 4,
	inAll: 8,
	waitMs: 15_000,
	message: 'Too many exports and lists of large submissions are in progress; try again in a few seconds.',
};

/** Parts shared with the rest of the program. */
interface Parts {
	config: Config;
	now: () => number;
	storage: Storage;
	keys: Keys;
	sessions: Sessions;
	post: GuardedPost;
	dispatch: Dispatch;
	files: { budget: ByteBudget };
	spam: Spam;
}

export type Management = ReturnType<typeof createManagement>;

export function createManagement({ config, now, storage, keys, sessions, post, ...app }: Parts) {
	const dispatch = manageDeliveries(storage, app.dispatch, now);
	const { release } = dispatch.retries;
	const webhooks = createWebhooks(storage, { post, allowed: config.webhookAllow, now });
	const forms = createForms(storage, {
		captchas: configuredCaptchas(config),
		maxFileBytes: config.limits.maxMultipart,
		notices: dispatch.outbox,
		now,
	});
	return {
		forms,
		webhooks,
		dispatch,
		submissions: createSubmissions(storage, {
			budget: app.files.budget,
			turns: createConcurrencyLimit(LARGE_RESPONSES),
			release,
			now,
		}),
		bulk: createBulk(storage, release),
		stats: createStats(storage, { forms, now }),
		explain: createExplain(storage, app.spam),
		/** Returns whether the holder for which a link was made is still valid. */
		isAlive: ({ kind, id }: LinkHolder): Promise<boolean> =>
			({ key: keys, session: sessions, webhook: webhooks })[kind].isAlive(id),
	};
}

function configuredCaptchas({ captcha }: Config): ReadonlySet<Captcha> {
	return new Set<Captcha>(['altcha', ...CAPTCHA_VENDORS.filter((vendor) => captcha[vendor].secret !== null)]);
}
