/** The composition root: opens and closes all parts of the program together. */

import { createAudit } from './audit/audit.ts';
import { createBackups } from './backup/schedule.ts';
import { type Config, publicUrls } from './config.ts';
import { createEventStreams } from './dashboard/events/streams.ts';
import { createSessions } from './dashboard/sessions/sessions.ts';
import { createDispatch } from './delivery/dispatch.ts';
import { createWebhooks } from './delivery/webhooks/webhooks.ts';
import { AppError } from './errors.ts';
import { createFileLinks, type LinkHolder } from './files/links.ts';
import { filesAlone, openFileStore } from './files/open.ts';
import { createFileQuota } from './files/quota.ts';
import { createTrackedStore } from './files/tracked-store.ts';
import { CAPTCHA_VENDORS, type Captcha } from './form-values/captchas.ts';
import { createFindBySlug } from './forms/by-slug.ts';
import { createForms } from './forms/forms.ts';
import { createUniqueValues } from './forms/unique-values.ts';
import { createConcurrencyLimit } from './http/concurrency-limit.ts';
import { createRateLimiter, createServerWindows } from './http/rate-limit.ts';
import { createUploads } from './intake/body/upload.ts';
import { createAltcha } from './intake/checks/altcha.ts';
import { createAltchaStore } from './intake/checks/altcha-store.ts';
import { createCaptchaCheck } from './intake/checks/captcha.ts';
import { createIntakeRates } from './intake/checks/rates.ts';
import { createSenders } from './intake/checks/senders.ts';
import { createIntake } from './intake/intake.ts';
import { createTestTokens } from './intake/test-submissions/tokens.ts';
import { createKeys } from './keys/keys.ts';
import type { Log } from './log/log.ts';
import { createMetrics } from './metrics/metrics.ts';
import type { GuardedPost } from './network/guarded-request.ts';
import { createSpam } from './spam/spam.ts';
import { createActions } from './storage/audit/action.ts';
import { databaseName, openStorage } from './storage/open.ts';
import { createBulk } from './submissions/bulk/bulk.ts';
import { createErasures } from './submissions/erasures/erasures.ts';
import { SCANS } from './submissions/scan-module.ts';
import { createExplain } from './submissions/spam/explain.ts';
import { createStats } from './submissions/stats/stats.ts';
import { createSubmissions } from './submissions/submissions.ts';
import { createByteBudget } from './tasks/byte-budget.ts';
import { lazy } from './tasks/lazy.ts';

/** The byte budget of submitted content in memory. */
const CONTENT_BYTES = 48 * 1024 * 1024;

/**
 * Maximum number of submissions with files that arrive at one time: it takes three networks to keep others out. None waits, because
 * the runtime holds in memory whatever arrives of a body that is not read.
 */
const UPLOADS = {
	perCaller: 200,
	inAll: 600,
	waitMs: 0,
	message: 'Too many submissions with files are arriving at once; try again in a few seconds.',
};

/** Maximum number of concurrent exports and lists of large submissions. */
const LARGE_RESPONSES = {
	perCaller: 4,
	inAll: 8,
	waitMs: 15_000,
	message: 'Too many exports and lists of large submissions are in progress; try again in a few seconds.',
};

export type App = Awaited<ReturnType<typeof openApp>>;

interface AppOptions {
	log: Log;
	/** The clock of the machine, and a monotonic one in milliseconds. */
	now?: () => number;
	elapsed?: () => number;
}

/**
 * Opens the database and creates the services on it. Nothing listens and nothing is sent yet, so that commands can run
 * while a server is running.
 */
export async function openApp(config: Config, { log: wholeLog, ...machine }: AppOptions) {
	const { place } = config.files;
	const actions = createActions();
	const storage = await openStorage(config.database, {
		actions,
		beforeNew: async () => {
			const problem = await filesAlone(place, databaseName(config.database));
			if (problem !== undefined) throw new AppError('UNAVAILABLE', problem);
		},
		...machine,
		log: wholeLog,
		scans: SCANS,
	});
	const { now } = storage.clock;
	const log = storage.logBeside(wholeLog);
	const budget = createByteBudget(CONTENT_BYTES);
	const store = createTrackedStore(await openFileStore(place), storage, now);
	const links = createFileLinks(storage, now);
	const keys = createKeys(storage, now);
	const post = createPost(config.webhookAllow);
	const { base: baseUrl, submit: submitUrl } = publicUrls(config);
	const uniqueValues = createUniqueValues(storage);
	const dispatch = createDispatch(storage, {
		...config,
		baseUrl,
		submitUrl,
		post,
		budget,
		store,
		links,
		uniqueValuesOf: uniqueValues.valuesOf,
		log,
		now,
	});
	const sessions = createSessions(storage, { keys, now });
	const streams = createEventStreams(storage);
	const tokenStore = createAltchaStore(storage, now);
	const altcha = createAltcha({ ...tokenStore, now });
	const tests = createTestTokens(storage, { ...tokenStore, now });
	const { recaptchaMinScore, ...vendors } = config.captcha;
	const files = {
		store,
		quota: createFileQuota(storage, config.files),
		scan: config.files.scanner && ('unchecked' as const),
		links,
		budget,
	};
	const windows = createServerWindows();
	const rates = createIntakeRates(config.rates, { windows, now });
	const spam = createSpam(storage, {
		formRate: createRateLimiter(config.rates.form, { windows, now }),
		disposableDomains: config.disposableDomains,
		log,
		now,
	});
	const metrics = createMetrics();
	const audit = createAudit(storage, { log, now });
	const intake = createIntake({
		storage,
		forms: { findBySlug: createFindBySlug(storage) },
		budget,
		rates,
		limits: config.limits,
		strictRedirects: config.strictRedirects,
		outbox: dispatch.outbox,
		uploads: createUploads({ ...files, storage, turns: createConcurrencyLimit(UPLOADS) }),
		checkCaptcha: createCaptchaCheck({ vendors, recaptchaMinScore, altcha, log, now }),
		altcha,
		judge: spam.judge,
		prepareJudge: spam.prepare,
		addressKeys: dispatch.visitors.keys,
		stamps: spam.stamps,
		metrics,
		language: config.language,
		timeZone: () => config.timeZone,
		now,
	});

	const forms = createForms(storage, {
		captchas: () => configuredCaptchas(config),
		maxFileBytes: config.limits.maxMultipart,
		notices: dispatch.outbox,
		now,
	});
	const webhooks = createWebhooks(storage, { post, allowed: config.webhookAllow, baseUrl: dispatch.baseUrl, now });
	const { release } = dispatch.retries;
	const reloads = [() => dispatch.useMail(config)];

	return {
		config,
		now,
		log,
		storage,
		actions,
		audit,
		keys,
		sessions,
		streams,
		backups: createBackups({
			config,
			storage,
			log,
			record: (backup) => audit.countRead({ action: 'backup', actor: 'server', mode: 'live', facts: { backup } }),
			now,
			elapsed: machine.elapsed,
		}),
		dispatch,
		files,
		intake,
		spam,
		senders: createSenders(keys, rates, tests),
		tests,
		windows,
		metrics,
		post,
		forms,
		uniqueValues,
		webhooks,
		submissions: createSubmissions(storage, { budget, turns: createConcurrencyLimit(LARGE_RESPONSES), release, now }),
		bulk: createBulk(storage, release),
		erasures: createErasures(storage, { store, now }),
		stats: createStats(storage, { forms, now }),
		explain: createExplain(storage, spam),
		/** Has `act` called after each change of the settings. */
		onReload: (act: () => void): void => void reloads.push(act),
		/** To be called when `config` has changed. */
		reload: (): void => {
			for (const act of reloads) act();
		},
		isAlive: ({ kind, id }: LinkHolder): Promise<boolean> =>
			({ key: keys, session: sessions, webhook: webhooks })[kind].isAlive(id),
		async close(): Promise<void> {
			await audit.close();
			await storage.close();
		},
	};
}

function configuredCaptchas({ captcha }: Config): ReadonlySet<Captcha> {
	return new Set<Captcha>(['altcha', ...CAPTCHA_VENDORS.filter((vendor) => captcha[vendor].secret !== null)]);
}

/** Loaded with the first webhook request: it needs the `node:` modules for HTTP, TLS and names, and few servers have webhooks. */
function createPost(allowed: readonly string[]): GuardedPost {
	const load = lazy(async () => (await import('./network/guarded-request.ts')).createGuardedPost({ allowed }));
	return async (url, request) => {
		const post = await load();
		return post(url, request);
	};
}
