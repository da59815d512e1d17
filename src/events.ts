/** What has just happened, told to whoever is listening in this process; always after it is on disk. */

export type AppEvent =
	| { type: 'submission'; formId: number; submissionId: number }
	/** The form, or anything of its submissions, is not what it was. */
	| { type: 'change'; formId: number }
	| { type: 'delivery'; formId: number; deliveryId: number; state: string };

export type Events = ReturnType<typeof createEvents>;

export function createEvents() {
	const listeners = new Set<(event: AppEvent) => void>();

	return {
		/** Whether it is worth making an event. */
		isHeard: (): boolean => listeners.size > 0,
		publish(event: AppEvent): void {
			for (const listener of listeners) listener(event);
		},
		/** A listener must not throw. Answers how to stop listening. */
		subscribe(listener: (event: AppEvent) => void): () => void {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};
}
