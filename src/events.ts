/** Events for the listeners in this process, published after the commit. */

export type AppEvent =
	| { type: 'submission'; formId: number; submissionId: number }
	/** The form or its submissions changed. */
	| { type: 'change'; formId: number }
	| { type: 'delivery'; formId: number; deliveryId: number; state: string };

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
