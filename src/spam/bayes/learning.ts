/** The background work of the word models: one server learns the owner's marks within a second, and all know them soon. */

import type { Events } from '../../events.ts';
import type { Log } from '../../log/log.ts';
import { repeat } from '../../tasks/repeat.ts';
import type { WordModels } from './models.ts';
import type { Training } from './training.ts';

/** Interval in which the marks of commands beside the server are noticed. */
const LOOK_EVERY_MS = 10_000;
/** Marks made one after the other are learnt together. */
const GATHER_MS = 250;
/** Submissions go first: the pause after a batch, as a multiple of its duration. */
const PAUSE = 3;
/** Rows of a model at most while marks keep coming, and how long after the last one its rows become one. */
const MAX_ROWS = 8;
const SETTLED_AFTER_MS = 60_000;

interface LearningOptions {
	training: Training;
	models: Pick<WordModels, 'follow'>;
	events: Events;
	log: Log;
}

/** Starts to learn; for the leader. Returns how to stop. */
export function startLearning({ training, models, events, log }: LearningOptions): () => Promise<void> {
	let isStopping = false;
	let isSettled = false;
	let learntAt = performance.now();
	let gathering: ReturnType<typeof setTimeout> | undefined;

	async function learnAll(): Promise<void> {
		let began = performance.now();
		while (!isStopping && (await training.learn())) {
			isSettled = false;
			await training.merge(MAX_ROWS);
			await models.follow();
			learntAt = performance.now();
			await Bun.sleep(PAUSE * (learntAt - began));
			began = performance.now();
		}
	}

	async function step(): Promise<number> {
		try {
			await training.renew();
			await learnAll();
			if (!isSettled && !isStopping && performance.now() - learntAt >= SETTLED_AFTER_MS) {
				await training.merge(1);
				await models.follow();
				isSettled = true;
			}
		} catch (error) {
			log.error('What was marked as spam could not be learnt; it is tried again in a few seconds.', { cause: error });
		}
		return LOOK_EVERY_MS;
	}

	const steps = repeat(step, GATHER_MS);
	const unsubscribe = events.subscribe(['change'], () => {
		gathering ??= setTimeout(() => {
			gathering = undefined;
			steps.wake();
		}, GATHER_MS);
	});
	return () => {
		isStopping = true;
		clearTimeout(gathering);
		unsubscribe();
		return steps.stop();
	};
}

/** Keeps the models in memory up to date with what other processes learnt; for every server. Returns how to stop. */
export function startFollowing(models: Pick<WordModels, 'follow'>, log: Log): () => Promise<void> {
	const following = repeat(async () => {
		await models.follow().catch((error: unknown) => log.warn('The word models could not be read.', { cause: error }));
		return LOOK_EVERY_MS / 2;
	}, LOOK_EVERY_MS / 2);
	return following.stop;
}
