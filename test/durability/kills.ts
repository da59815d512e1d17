/** The number and the moments of the SIGKILLs of a test. */

/** Fifty find more: `KILLS=50 bun test test/durability test/delivery/kill.test.ts`. */
export const KILLS = Number(process.env.KILLS ?? 8);
/** Other moments in each run; `KILL_SEED` repeats those of an earlier one. */
const SEED = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1000));
console.info(`KILLS=${KILLS} KILL_SEED=${SEED}`);

/** Time under load before the nth kill, of 20 to 100 ms. */
export const beforeKillMs = (nth: number) => 20 + (((nth + SEED) * 37) % 80);
