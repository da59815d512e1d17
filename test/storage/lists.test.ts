/**
 * Lists, counts, names and the search against a scan of the rows, after random steps that overlap. This is the short form;
 * `SEEDS=200 STEPS=10000 bun test test/storage/lists.test.ts -t sqlite` is the long one, and `SEED=7 SEEDS=1 STEPS=…` does one seed again.
 */

import { describe, test } from 'bun:test';
import { createWorld, type World } from './lists-world.ts';

/** Seeds per engine; fewer on PostgreSQL, because each of its steps takes longer. */
const SEEDS = { sqlite: Number(process.env.SEEDS || 3), postgres: Number(process.env.SEEDS || 1) };
const STEPS = Number(process.env.STEPS || 80);
const FIRST_SEED = Number(process.env.SEED || 1);
const IS_LONG = SEEDS.sqlite * STEPS > 1000;
const CHECKS = IS_LONG ? 5 : 2;
const SEED_LASTS_MS = 30_000 + STEPS * 300;
/** Limit for each list; at the last check of the long form SQLite's are read to the end. */
const MOST_PAGES = {
	sqlite: { some: { mostPages: 60 }, last: IS_LONG ? {} : { mostPages: 60 } },
	postgres: { some: { mostPages: 3 }, last: { mostPages: IS_LONG ? 400 : 3 } },
};

async function live(engine: 'sqlite' | 'postgres', seed: number): Promise<World> {
	const { some, last } = MOST_PAGES[engine];
	const world = await createWorld(engine, seed);
	const every = Math.ceil(STEPS / CHECKS);
	for (let at = 1; at <= STEPS; at++) {
		try {
			await world.step();
			if (at === STEPS) await world.check(last);
			else if (at % every === 0) await world.check(some);
		} catch (cause) {
			throw new Error(`Failed: ${engine}, SEED=${seed} STEPS=${STEPS}, at step ${at}`, { cause });
		}
	}
	await world.close();
	return world;
}

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
	test(
		'a list shows each acknowledged submission once, and whatever is derived equals a scan of the rows',
		async () => {
			for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS[engine]; seed++) {
				const started = performance.now();
				const world = await live(engine, seed);
				if (!IS_LONG) continue;
				const ms = Math.round(performance.now() - started);
				console.log(`${engine} SEED=${seed}: ${STEPS} steps, ${world.acknowledged()} left at the end, ${ms} ms`);
			}
		},
		SEED_LASTS_MS * SEEDS[engine],
	);
});
