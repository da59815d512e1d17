/** What became of one attempt to deliver; the worker turns it into the delivery's next state. */

export type Outcome =
	/** Accepted. `rest` names recipients whose fate differs: they go on as deliveries of their own. */
	| { kind: 'sent'; note?: string; rest?: Remainder[] }
	/**
	 * Not now. `isDestinationSuspect` means that nothing speaks against this very message (a time-out, a
	 * dropped connection): the next one may meet the same.
	 */
	| { kind: 'retry'; error: string; retryAfterMs?: number; isDestinationSuspect?: boolean }
	/** Never: parked at once, and kept. */
	| { kind: 'refused'; error: string }
	/** Not to be sent unless somebody says so, such as after the submission turned out to be spam. */
	| { kind: 'withheld'; error: string }
	/** Nothing is wrong with the message, nothing gets through at all: costs no attempt, holds the queue. */
	| { kind: 'ill'; error: string };

/** Part of a delivery that was not accepted with the rest of it. */
export interface Remainder {
	kind: 'retry' | 'refused';
	destination: string;
	error: string;
}
