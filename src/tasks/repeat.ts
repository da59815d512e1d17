/** Repeats a step with pauses in between, until it is stopped. */

export type Repetition = ReturnType<typeof repeat>;

/** @param step Resolves to the pause after it, in milliseconds; it must not throw. */
export function repeat(step: () => Promise<number>, firstAfterMs: number) {
	let isStopping = false;
	let isWoken = false;
	let endPause = () => {};

	async function pause(ms: number): Promise<void> {
		if (isWoken || isStopping) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(resolve, ms);
		endPause = resolve;
		await promise;
		clearTimeout(timer);
	}

	async function run(): Promise<void> {
		for (let pauseMs = firstAfterMs; ; pauseMs = await step()) {
			await pause(pauseMs);
			if (isStopping) return;
			isWoken = false;
		}
	}

	const running = run();
	return {
		/** Ends the pause; during a step, skips the pause after it. */
		wake(): void {
			isWoken = true;
			endPause();
		},
		/** Resolves once the present step has ended. */
		stop(): Promise<void> {
			isStopping = true;
			endPause();
			return running;
		},
	};
}
