/** Events for the listeners in this process, published after the commit. */

/** For the owners who look at it. */
export type FormEvent =
	| { type: 'submission'; formId: number; submissionId: number }
	/** The form or its submissions changed. */
	| { type: 'change'; formId: number }
	| { type: 'delivery'; formId: number; deliveryId: number; state: string };

/** Between the server that sends the deliveries and others on the same database. */
export type DispatchEvent =
	/** A delivery to that destination was stored. */
	| { type: 'due'; channel: 'mail' | 'webhook'; webhookId: number | null }
	/** An owner wants destinations that are paused to be tried at once. */
	| { type: 'retry' }
	/** Why mail is paused; `null`: it is not. Times in milliseconds since 1970. */
	| { type: 'mail'; outage: { since: number; reason: string; nextProbeAt: number } | null };

export type AppEvent = FormEvent | DispatchEvent;

export function isFormEvent(event: AppEvent): event is FormEvent {
	return 'formId' in event;
}

export type Events = ReturnType<typeof createEvents>;

export function createEvents() {
	const listeners = new Set<(event: AppEvent) => void>();

	return {
		/** Whether there are listeners. */
		isHeard: (): boolean => listeners.size > 0,
		publish(event: AppEvent): void {
			for (const listener of listeners) listener(event);
		},
		/** Adds a listener, which must not throw. Returns a function that removes it. */
		subscribe(listener: (event: AppEvent) => void): () => void {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};
}
