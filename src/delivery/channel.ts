/** What the worker asks of a way out of the house, be it mail or webhooks. */

import type { DeliveryRow } from '../storage/tables.ts';
import type { Schedule } from './backoff.ts';
import type { Outcome } from './outcome.ts';

export interface Attempt {
	outcome: Outcome;
	/** What is kept of what was sent; JSON text for {@link Channel.recall}. */
	kept?: string;
}

/** To show to people. With `isCut`, the longest text in it is only the beginning. */
export type Content = { isCut?: true } & Record<string, unknown>;

export interface Channel {
	readonly schedule: Schedule;
	/** How many may be under way to one destination at once. */
	readonly concurrency: number;
	/**
	 * Tries once, in bounded time from when there is memory for it. When `signal` aborts, it ends at once, with the
	 * outcome `ill` if nothing can have arrived by then.
	 * @throws the reason of `signal` if it aborts before anything was tried
	 */
	send(row: DeliveryRow, options: { signal: AbortSignal }): Promise<Attempt>;
	/** What would be sent now. `undefined` if what it is about is gone. */
	compose(row: DeliveryRow): Promise<Content | undefined>;
	/** What was sent, by what is kept of it. */
	recall(row: DeliveryRow, kept: string): Promise<Content | undefined>;
}
