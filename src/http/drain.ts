/** The end of keep-alive connections when a server stops: each response says it, so that no client sends a request into a close. */

const LOOK_EVERY_MS = 5;
/** So many looks without a response: by looks and not by time, since a busy loop may not have read what came meanwhile. */
const QUIET_LOOKS = 20;
/** Clients that come all the time do not hold up the stop for longer. */
const MOST_LOOKS = 100;

export type Drain = ReturnType<typeof createDrain>;

export function createDrain() {
	let isOn = false;
	let quietLooks = 0;
	return {
		/** Says in a response that its connection ends, if the server stops. */
		mark(response: Response): void {
			if (!isOn) return;
			quietLooks = 0;
			response.headers.set('Connection', 'close');
		},
		/** From now on responses say it. Resolves when clients that send request after request have heard it. */
		async begin(): Promise<void> {
			isOn = true;
			for (let looks = 0; quietLooks < QUIET_LOOKS && looks < MOST_LOOKS; looks++) {
				await Bun.sleep(LOOK_EVERY_MS);
				quietLooks++;
			}
		},
	};
}
