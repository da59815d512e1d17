/** Server-sent events: new submissions, changes and deliveries. */

import { useEffect, useRef } from 'preact/hooks';
import * as api from '../api.ts';
import { isReachable } from '../connection.ts';

export type LiveEvent =
	| { type: 'submission'; formId: string; submissionId: string }
	| { type: 'change'; formId: string }
	| { type: 'delivery'; id: string; state: string }
	/** The stream reconnected: anything may have changed. */
	| { type: 'resumed' };

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();
const REOPEN_AFTER_MS = 2000;
const REOPEN_AT_MOST_MS = 60_000;

/** Calls `listener` with every event while the component is mounted. */
export function useLiveEvents(listener: Listener): void {
	const latest = useRef(listener);
	latest.current = listener;
	useEffect(() => {
		const call: Listener = (event) => latest.current(event);
		listeners.add(call);
		return () => void listeners.delete(call);
	}, []);
}

/** Calls `reload` when deliveries have changed. */
export function useDeliveryEvents(reload: () => void): void {
	useLiveEvents(({ type }) => {
		if (type === 'delivery' || type === 'resumed') reload();
	});
}

function emit(event: LiveEvent): void {
	for (const listener of listeners) listener(event);
}

/** Opens the stream and keeps it open. @returns a function that closes it */
export function openLiveEvents(): () => void {
	let source: EventSource;
	let timer: ReturnType<typeof setTimeout>;
	let wasBroken = false;
	let waitMs = REOPEN_AFTER_MS;
	const open = () => {
		source = new EventSource(api.eventsAddress);
		for (const type of ['submission', 'change', 'delivery'] as const) {
			source.addEventListener(type, (message) => emit({ type, ...JSON.parse(message.data) }));
		}
		source.onopen = () => {
			isReachable.value = true;
			if (wasBroken) emit({ type: 'resumed' });
			wasBroken = false;
			waitMs = REOPEN_AFTER_MS;
		};
		source.onerror = () => {
			wasBroken = true;
			if (source.readyState !== EventSource.CLOSED) return;
			// A failed stream gives no reason; reading the session does.
			api.session.read().catch(() => {});
			timer = setTimeout(open, waitMs);
			waitMs = Math.min(waitMs * 2, REOPEN_AT_MOST_MS);
		};
	};
	open();
	return () => {
		clearTimeout(timer);
		source.close();
	};
}
