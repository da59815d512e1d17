/** Waiting for a condition, and for no longer than a test lasts. */

type Falsy = false | null | undefined;

interface Options<T> {
	/** Decides on what was found; by default it has to be truthy. */
	isSo?: (found: T) => unknown;
	withinMs?: number;
	everyMs?: number;
}

/**
 * Returns what `find` returns once it is truthy. Gives up before the 30 s that scripts/test.ts gives a test: what still asks behind the end of
 * its test meets a closed server, and that error fails the run although the test passes when it is tried again.
 */
export async function until<T>(
	find: () => T | Promise<T>,
	{ isSo = Boolean, withinMs = 25_000, everyMs = 20 }: Options<T> = {},
): Promise<Exclude<T, Falsy>> {
	for (const giveUpAt = performance.now() + withinMs; ; await Bun.sleep(everyMs)) {
		const found = await find();
		if (isSo(found)) return found as Exclude<T, Falsy>;
		if (performance.now() < giveUpAt) continue;
		throw new Error(`Not within ${withinMs / 1000} s: ${isSo === Boolean ? find : isSo}, of ${Bun.inspect(found)}`);
	}
}
