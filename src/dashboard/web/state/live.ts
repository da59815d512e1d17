/** Server-sent events: new submissions, changes and deliveries. */

import { useEffect, useMemo, useRef } from 'preact/hooks';
import * as api from '../api.ts';
import { createThrottle } from '../throttle.ts';

export type LiveEvent =
	| { type: 'submission'; formId: string; submissionId: string }
	| { type: 'change'; formId: string }
	| { type: 'delivery'; id: string; state: string }
	/** The stream reconnected: anything may have changed. */
	| { type: 'resumed' };

type Listener = (event: LiveEvent) => unknown;

const listeners = new Set<Listener>();
/** Longer than between two beats of the server. With the probe that follows, it is said within two seconds that the server is away. */
const SILENT_MS = 1300;
const PROBE_MS = 600;
const REOPEN_AFTER_MS = 2000;
const REOPEN_AT_MOST_MS = 60_000;
const DELIVERIES_MS = 500;

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

/** Calls `reload` when deliveries have changed: not for each of a flood, which would use up what the session may request. */
export function useDeliveryEvents(reload: () => void): void {
	const reloadSoon = useMemo(() => createThrottle(reload, DELIVERIES_MS), [reload]);
	useEffect(() => reloadSoon.cancel, [reloadSoon]);
	useLiveEvents(({ type }) => type === 'delivery' && reloadSoon());
}

function emit(event: LiveEvent): void {
	for (const listener of listeners) listener(event);
}

/** Opens the stream and keeps it open while the server can be reached. @returns a function that closes it */
export function openLiveEvents(): () => void {
	let source: EventSource | undefined;
	let timer: ReturnType<typeof setTimeout>;
	let silence: ReturnType<typeof setTimeout>;
	let waitMs = 0;
	const close = () => {
		clearTimeout(timer);
		clearTimeout(silence);
		source?.close();
	};
	const fail = (stream: EventSource) => {
		const isRefused = stream.readyState === EventSource.CLOSED;
		close();
		waitMs = Math.min(Math.max(waitMs * 2, REOPEN_AFTER_MS), REOPEN_AT_MOST_MS);
		timer = setTimeout(open, waitMs);
		// A stream does not say why it failed: the server may be away, or the session over.
		(isRefused ? api.session.read() : api.server.probe(PROBE_MS)).catch(() => {});
	};
	const open = () => {
		const isFirst = source === undefined;
		const stream = new EventSource(api.eventsAddress);
		source = stream;
		for (const type of ['submission', 'change', 'delivery'] as const) {
			stream.addEventListener(type, (message) => emit({ type, ...JSON.parse(message.data) }));
		}
		stream.onopen = () => {
			waitMs = 0;
			if (!isFirst) emit({ type: 'resumed' });
		};
		stream.onerror = () => fail(stream);
		// From the first beat on: a proxy may hold them back.
		stream.addEventListener('beat', () => {
			clearTimeout(silence);
			silence = setTimeout(() => fail(stream), SILENT_MS);
		});
	};
	const unsubscribe = api.isReachable.subscribe((isUp) => (isUp ? open() : close()));
	return () => {
		unsubscribe();
		close();
	};
}
