/** Puts the alerts of a running server together. */

import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import type { GuardedPost } from '../network/guarded-request.ts';
import type { Storage } from '../storage/contract.ts';
import { isFile } from '../storage/open.ts';
import { repeat } from '../tasks/repeat.ts';
import { createAlerts } from './alerts.ts';
import { watchCauses } from './causes.ts';
import { createClaims } from './claims.ts';
import { createReceivers } from './receivers.ts';

const LOOK_EVERY_MS = 5000;

interface Alerting {
	config: Config;
	storage: Storage;
	post: GuardedPost;
	log: Log;
	now(): number;
}

/** Alerts of the problems of this server. @returns how to stop */
export function startAlerting({ config, storage, post, log, now }: Alerting, baseUrl: string): () => Promise<void> {
	const receivers = createReceivers({ config, baseUrl, server: hostname(), post, now });
	const { place } = config.files;
	const { events, findings, clock } = storage;
	const folders = [place.folder, ...(isFile(config.database) ? [dirname(config.database)] : [])];
	const causes = watchCauses({ events, findings, clock, folders });
	const { look } = createAlerts({ present: causes.present, claims: createClaims(storage), receivers, log, now });
	const looking = repeat(async () => {
		await look();
		return LOOK_EVERY_MS;
	}, 0);
	return () => {
		causes.stop();
		return looking.stop();
	};
}
