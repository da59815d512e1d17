/** Server-sent events: new submissions, changes and deliveries. */

import { useEffect, useMemo, useRef } from 'preact/hooks';
import * as api from '../api.ts';
import { createThrottle } from '../throttle.ts';

export type LiveEvent =
	| { type: 'submission'; formId: string; submissionId: string }
	| { type: 'change'; formId: string }
	| { type: 'delivery'; id: string; state: string }
	/** Anything may have changed: the stream was not open for a while, or says nothing of it. */
	| { type: 'resumed' };

type Listener = (event: LiveEvent) => unknown;

const listeners = new Set<Listener>();
/** Longer than between two beats of the server. With the probe that follows, it is said within two seconds that the server is away. */
const SILENT_MS = 1300;
const PROBE_MS = 600;
const REOPEN_AFTER_MS = 2000;
const REOPEN_AT_MOST_MS = 60_000;
const DELIVERIES_MS = 500;
/** A proxy may hold back the stream for ever: as long as it says nothing, everything is loaded again so often. */
const POLL_MS = 5000;
/** A stream that opens later than this may have missed something. */
const LATE_MS = 250;

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

/**
 * Opens the stream and keeps it open while the server can be reached. Of the tabs of a browser those that are seen have one, which
 * the others hear, too: without HTTP/2 all tabs share six connections. @returns a function that closes it
 */
export function openLiveEvents(): () => void {
	const begunAt = performance.now();
	const tabs = new BroadcastChannel('formsrv.events');
	/** Another tab has opened a stream since this one was seen. */
	let isListener = false;
	let source: EventSource | undefined;
	let timer: ReturnType<typeof setTimeout>;
	/** Until the first beat it repeats. */
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
	const tell = (event: LiveEvent) => {
		emit(event);
		tabs.postMessage(event);
	};
	const open = () => {
		close();
		tabs.postMessage('open');
		const stream = new EventSource(api.eventsAddress);
		silence = setInterval(() => tell({ type: 'resumed' }), POLL_MS);
		source = stream;
		for (const type of ['submission', 'change', 'delivery'] as const) {
			stream.addEventListener(type, (message) => tell({ type, ...JSON.parse(message.data) }));
		}
		stream.addEventListener('hello', () => {
			waitMs = 0;
			if (performance.now() - begunAt > LATE_MS) tell({ type: 'resumed' });
		});
		stream.onerror = () => fail(stream);
		// From the first beat on: a proxy may hold them back.
		stream.addEventListener('beat', () => {
			clearTimeout(silence);
			silence = setTimeout(() => fail(stream), SILENT_MS);
		});
	};
	tabs.onmessage = ({ data }) => {
		if (data !== 'open') isListener && emit(data);
		else if (document.hidden) {
			isListener = true;
			close();
		}
	};
	const look = () => {
		if (!isListener || document.hidden) return;
		isListener = false;
		open();
	};
	addEventListener('visibilitychange', look);
	const unsubscribe = api.isReachable.subscribe((isUp) => (isUp && !isListener ? open() : close()));
	return () => {
		unsubscribe();
		removeEventListener('visibilitychange', look);
		tabs.close();
		close();
	};
}
