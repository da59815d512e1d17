/** The end of keep-alive connections when a server stops: each response says it, so that no client sends a request into a close. */

/** A client whose response just said it sends nothing more; one whose request was on its way is heard within this time. */
const QUIET_MS = 25;
/** Clients that come all the time do not hold up the stop for longer. */
const LONGEST_MS = 500;

export type Drain = ReturnType<typeof createDrain>;

export function createDrain() {
	let isOn = false;
	let lastAt = 0;
	return {
		/** Says in a response that its connection ends, if the server stops. */
		mark(response: Response): void {
			if (!isOn) return;
			lastAt = performance.now();
			response.headers.set('Connection', 'close');
		},
		/** From now on responses say it. Resolves when clients that send request after request have heard it. */
		async begin(): Promise<void> {
			isOn = true;
			const began = performance.now();
			lastAt = began;
			while (performance.now() - lastAt < QUIET_MS && performance.now() - began < LONGEST_MS) await Bun.sleep(5);
		},
	};
}
