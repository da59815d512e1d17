/** What the worker asks of a way out of the house, be it mail or webhooks. */

import type { DeliveryRow } from '../storage/tables.ts';
import type { Schedule } from './backoff.ts';
import type { Outcome } from './outcome.ts';

export interface Channel {
	readonly schedule: Schedule;
	/** How many may be under way to one destination at once. */
	readonly concurrency: number;
	/**
	 * Tries once, in bounded time. When `signal` aborts, it ends at once, with the outcome `ill` if nothing can have
	 * arrived by then.
	 */
	send(row: DeliveryRow, options: { signal: AbortSignal }): Promise<Outcome>;
	/** What is sent, or would be: JSON text to show. `undefined` if what it is about is gone. */
	compose(row: DeliveryRow): Promise<string | undefined>;
	/** The part of it that is kept after sending, if not all. */
	abridge?(content: string): string;
}
