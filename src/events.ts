/** Events for the listeners in this process, published after the commit. */

/** For the owners who look at it. */
export type FormEvent =
	| { type: 'submission'; formId: number; submissionId: number }
	/** The form or its submissions changed. */
	| { type: 'change'; formId: number }
	| { type: 'delivery'; formId: number; deliveryId: number; state: string };

/** For the servers that do the work of all on the same database. */
type WorkEvent =
	/** A delivery to that destination was stored. */
	| { type: 'due'; channel: string; webhookId: number | null }
	/** A form was deleted, or an erasure is asked for: rows are to be removed. */
	| { type: 'sweep' }
	/** A key or member was created or changed. */
	| { type: 'keys' }
	/** An owner wants that destination to be tried at once, even if it is paused. */
	| { type: 'retry'; channel: string; webhookId: number | null }
	/** Why mail is paused; `null`: it is not. Times in milliseconds since 1970. */
	| { type: 'mail'; outage: { since: number; reason: string; nextProbeAt: number } | null };

export type AppEvent = FormEvent | WorkEvent;

export type EventType = AppEvent['type'];

export function isFormEvent(event: AppEvent): event is FormEvent {
	return 'formId' in event;
}

export type Events = ReturnType<typeof createEvents>;

export function createEvents() {
	const listeners = new Map<EventType, Set<(event: AppEvent) => void>>();
	const listenersOf = (type: EventType) => {
		const known = listeners.get(type);
		if (known) return known;
		const none = new Set<(event: AppEvent) => void>();
		listeners.set(type, none);
		return none;
	};

	return {
		isHeard: (type: EventType): boolean => listenersOf(type).size > 0,
		publish(event: AppEvent): void {
			for (const listener of listenersOf(event.type)) listener(event);
		},
		/** Adds a listener for events of some types, which must not throw. Returns a function that removes it. */
		subscribe<T extends EventType>(
			types: readonly T[],
			listener: (event: Extract<AppEvent, { type: T }>) => void,
		): () => void {
			const hear = listener as (event: AppEvent) => void;
			for (const type of types) listenersOf(type).add(hear);
			return () => {
				for (const type of types) listenersOf(type).delete(hear);
			};
		},
	};
}
