/** Events told to the other servers, for what their browsers show at the moment; nothing relies on it. */

import type { AppEvent, Events } from '../../events.ts';
import { rowsOf, type Sql, withDeadline } from './connection.ts';

const CHANNEL = 'formsrv_events';
/** Events of so long share a notice. No transaction that writes sends one: it would hold up all others through its commit. */
const GATHER_MS = 50;
const UNLISTEN_WITHIN_MS = 1000;
/** A notice must be below 8,000 bytes; each event of a form is below 100. */
const MAX_EVENTS = 70;

interface Notice {
	from: string;
	events: AppEvent[];
}

export function createNotices(sql: Sql, onError: (error: unknown) => void) {
	const own = crypto.randomUUID();
	const listeners = new Set<(event: AppEvent) => void>();
	let waiting: AppEvent[] = [];
	let timer: ReturnType<typeof setTimeout> | undefined;
	let listening: Promise<{ unlisten(): Promise<void> }> | undefined;

	const hear = (event: AppEvent) => {
		for (const listener of listeners) listener(event);
	};

	function tell(): void {
		timer = undefined;
		const notices = summarise(waiting);
		waiting = [];
		for (const events of notices) {
			const notice: Notice = { from: own, events };
			void rowsOf(sql, 'select pg_notify($1, $2)', [CHANNEL, JSON.stringify(notice)]).catch(onError);
		}
	}

	function receive(text: string): void {
		const { from, events } = JSON.parse(text) as Notice;
		if (from !== own) events.forEach(hear);
	}

	const events: Events = {
		isHeard: () => listeners.size > 0,
		publish(event): void {
			hear(event);
			if (!listening) return;
			waiting.push(event);
			timer ??= setTimeout(tell, GATHER_MS);
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};

	return {
		events,
		/** Whether an event is of interest, here or to other servers. */
		isTold: () => listening !== undefined || listeners.size > 0,
		/** From now on this process tells others, and hears them. */
		listen(): void {
			listening ??= sql.listen(CHANNEL, receive);
			listening.catch(onError);
		},
		async close(): Promise<void> {
			clearTimeout(timer);
			tell();
			const heard = await listening?.catch(() => undefined);
			if (heard) await withDeadline(heard.unlisten(), UNLISTEN_WITHIN_MS).catch(onError);
		},
	};
}

/** A flood is told form by form, without the single submissions. */
function summarise(events: readonly AppEvent[]): AppEvent[][] {
	const forms = new Set(events.map(({ formId }) => formId));
	const all: AppEvent[] =
		events.length <= MAX_EVENTS ? [...events] : [...forms].map((formId) => ({ type: 'change', formId }));
	const notices: AppEvent[][] = [];
	for (let at = 0; at < all.length; at += MAX_EVENTS) notices.push(all.slice(at, at + MAX_EVENTS));
	return notices;
}
