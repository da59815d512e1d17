/** The interface of a channel, mail or webhooks, to the worker and to the list of deliveries. */

import type { DeliveryRow } from '../storage/tables.ts';
import { lazy } from '../tasks/lazy.ts';
import type { Schedule } from './worker/backoff.ts';
import type { Outcome } from './worker/outcome.ts';

export interface Attempt {
	outcome: Outcome;
	/** The record of the sent content: JSON text for {@link Channel.recall}. */
	kept?: string;
}

/** Content to show to the owner. With `isCut`, its longest text is only the beginning. */
export type Content = { isCut?: true } & Record<string, unknown>;

/** The messages that a channel sends. */
export interface Messages {
	/**
	 * Makes one attempt, in bounded time once it has got its memory. When `signal` aborts, it ends at once, with the
	 * outcome `unavailable` if nothing can have arrived by then.
	 * @throws the reason of `signal` if it aborts before the attempt began
	 */
	send(row: DeliveryRow, options: { signal: AbortSignal }): Promise<Attempt>;
	/** The content to send now; `undefined` if the submission was removed. */
	compose(row: DeliveryRow): Promise<Content | undefined>;
	/** The content that was sent, from the stored record. */
	recall(row: DeliveryRow, kept: string): Promise<Content | undefined>;
}

export interface Channel extends Messages {
	readonly schedule: Schedule;
	/** Maximum number of attempts in flight to one destination. */
	readonly concurrency: number;
}

/** Loads what a channel sends when it is first needed: many servers never send anything. */
export function lazyMessages(load: () => Promise<Messages>): Messages {
	const messages = lazy(load);
	return {
		send: async (row, options) => (await messages()).send(row, options),
		compose: async (row) => (await messages()).compose(row),
		recall: async (row, kept) => (await messages()).recall(row, kept),
	};
}
