/** Ends keep-alive connections when a server stops: `Connection: close` tells clients to send no further request. */

const POLL_MS = 5;
/** Polls without a response until the drain is done. Not a time, because a busy event loop may not have read requests. */
const QUIET_POLLS = 20;
/** The most polls, in case clients never stop sending. */
const MAX_POLLS = 100;

export type Drain = ReturnType<typeof createDrain>;

export function createDrain() {
	let isDraining = false;
	let quietPolls = 0;
	return {
		/** While the server stops, makes the response the last of its connection. */
		closeAfter(response: Response): void {
			if (!isDraining) return;
			quietPolls = 0;
			response.headers.set('Connection', 'close');
		},
		/** Begins to do so. Resolves once clients with open connections have got one, or are quiet. */
		async begin(): Promise<void> {
			isDraining = true;
			for (let polls = 0; quietPolls < QUIET_POLLS && polls < MAX_POLLS; polls++) {
				await Bun.sleep(POLL_MS);
				quietPolls++;
			}
		},
	};
}
