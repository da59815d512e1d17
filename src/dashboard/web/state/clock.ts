/** The current time as a signal, so that relative times stay current. */

import { signal } from '@preact/signals';

const TICK_MS = 30_000;

/** Milliseconds since 1970. */
export const now = signal(0);

export function startClock(): void {
	const tick = () => {
		now.value = Date.now();
	};
	tick();
	setInterval(tick, TICK_MS);
}
