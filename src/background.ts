/** What goes on behind the listeners of a server: what each server does for itself, and what one does for all. */

import type { App } from './app.ts';
import { startFileWatch } from './files/file-watch.ts';
import { startMaintenance } from './maintenance.ts';
import { startFollowing } from './spam/bayes/learning.ts';
import type { StopWork } from './storage/storage.ts';

/** @param baseUrl Where mails link to. */
export function startBackground(app: App, baseUrl: string): StopWork {
	const { config, dispatch, files, log, spam, storage } = app;
	const work: StopWork[] = [
		startFileWatch(storage, { ...config.files, store: files.store, log }),
		startFollowing(spam.models, log),
		storage.lead('maintenance', () => startMaintenance(app)),
		storage.lead('search', () => storage.search.follow(log)),
		storage.lead('delivery', () => dispatch.start(baseUrl)),
	];
	return async (graceMs) => {
		await Promise.all(work.map((stop) => stop(graceMs)));
	};
}
