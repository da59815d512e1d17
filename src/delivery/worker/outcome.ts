/** The outcome of one attempt; the queue derives the delivery's next state from it. */

export type Outcome =
	/** Accepted. The recipients in `rest` were not: each continues as a delivery of its own. */
	| { kind: 'sent'; note?: string; rest?: Remainder[] }
	/**
	 * Try again later. `isDestinationSuspect`: the cause may be the destination instead of the message, as with a
	 * time-out or a dropped connection. `isRecipient`: it is the mailbox of the recipient, and says nothing of the destination. `said`: words
	 * of the receiver, which may repeat what was sent. They are for the owner, and not for the log.
	 */
	| {
			kind: 'retry';
			error: string;
			said?: string;
			retryAfterMs?: number;
			isDestinationSuspect?: boolean;
			isRecipient?: true;
	  }
	/** A permanent failure: not tried again. `isRecipient`: there is no such address, as its mail server says. */
	| { kind: 'rejected'; error: string; isRecipient?: true }
	/** Not to be sent until the owner releases it, for example because the submission is spam. */
	| { kind: 'withheld'; error: string }
	/** The destination accepts nothing at all: costs no attempt, opens the circuit breaker. */
	| { kind: 'unavailable'; error: string };

/** A recipient that the server did not accept with the others. */
export interface Remainder {
	kind: 'retry' | 'rejected';
	destination: string;
	error: string;
}

/** For the owner. */
export function errorOf({ error, said = '' }: { error: string; said?: string }): string {
	return said === '' ? error : `${error}: ${said}`;
}
