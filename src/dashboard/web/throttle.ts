/** Runs a function once after a delay, however often it is called meanwhile. */

interface Throttle {
	(): void;
	cancel: () => void;
}

/** Unlike a debounce it is never postponed: under a steady stream of calls it runs every `delayMs`. */
export function createThrottle(run: () => unknown, delayMs: number): Throttle {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const soon = () => {
		timer ??= setTimeout(() => {
			timer = undefined;
			run();
		}, delayMs);
	};
	const cancel = () => {
		clearTimeout(timer);
		timer = undefined;
	};
	return Object.assign(soon, { cancel });
}
