/** Background work of a server: its own, and the part that one server does for all. */

import type { App } from './app.ts';
import { noteSetNames } from './backup/set-names.ts';
import { startPauseWatch } from './delivery/worker/pauses.ts';
import { startWorker } from './delivery/worker/worker.ts';
import { startFileWatch } from './files/file-watch.ts';
import { startMaintenance } from './maintenance.ts';
import { startFollowing } from './spam/bayes/learning.ts';
import type { StopWork } from './storage/contract.ts';
import type { NewSubmission } from './storage/submission.ts';
import type { FormRow } from './storage/tables.ts';

/** Placeholders for the warm-up: a form and a submission that do not exist. */
const NO_FORM = { id: 0, mode: 'live' } as FormRow;
const NO_SUBMISSION = {} as NewSubmission;

/** @param baseUrl Where mails link to. */
export function startBackground(app: App, baseUrl: string): StopWork {
	const { config, dispatch, files, log, spam, storage } = app;
	warmUp(app).catch(() => {});
	noteSetNames(storage, config).catch((cause) =>
		log.warn('The names of the settings could not be noted for backups.', { cause }),
	);
	const work: StopWork[] = [
		startFileWatch(storage, { ...config.files, store: files.store, log }),
		startFollowing(spam.models, log),
		startPauseWatch(storage, app),
		storage.lead('maintenance', () => startMaintenance(app)),
		storage.lead('search', () => storage.search.follow(log)),
		storage.lead('delivery', () => dispatch.start(startWorker, baseUrl)),
	];
	return async (graceMs) => {
		await Promise.all(work.map((stop) => stop(graceMs)));
	};
}

/** Builds the queries and reads the lists that the first submission would wait for. What fails here it meets itself. */
async function warmUp({ intake, spam, dispatch }: App): Promise<void> {
	await Promise.allSettled([
		intake.findForm(''),
		spam.prepare(NO_FORM),
		dispatch.outbox.plan({ form: NO_FORM, submission: NO_SUBMISSION }),
	]);
}
