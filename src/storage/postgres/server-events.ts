/** Events sent to the servers, of others and of commands, so that they act at once instead of later; nothing relies on them. */

import { type AppEvent, createEvents, type Events, type EventType, isFormEvent } from '../../events.ts';
import { type Repetition, repeat } from '../../tasks/repeat.ts';
import { rowsOf, type Sql } from './connection.ts';

const CHANNEL = 'formsrv_events';
/** A session that listens already goes on; one that was lost is replaced. */
const LISTEN_EVERY_MS = 1000;
/** Events of so long share a notice. No transaction that writes sends one: it would hold up all others through its commit. */
const GATHER_MS = 50;
/** A notice must be below 8,000 bytes; each event of a form is below 100. */
const MAX_EVENTS = 70;

interface Notice {
	from: string;
	events: AppEvent[];
}

interface ServerEventsOptions {
	/** Opens a connection that receives events of other servers. */
	connectTo(on: { onNotify(text: string): void }): Sql;
	onError(error: unknown): void;
}

export function createServerEvents(sql: Sql, { connectTo, onError }: ServerEventsOptions) {
	const own = crypto.randomUUID();
	const local = createEvents();
	let waiting: AppEvent[] = [];
	let timer: ReturnType<typeof setTimeout> | undefined;
	let ear: Sql | undefined;
	let listening: Repetition | undefined;

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
		if (from !== own) events.forEach(local.publish);
	}

	const events: Events = {
		...local,
		publish(event): void {
			local.publish(event);
			waiting.push(event);
			timer ??= setTimeout(tell, GATHER_MS);
		},
	};

	return {
		events,
		/** Returns whether an event is of interest, here or to other servers. */
		isTold: (type: EventType) => listening !== undefined || local.isHeard(type),
		/** From now on this process receives events of the others. */
		listen(): void {
			const opened = connectTo({ onNotify: receive });
			ear = opened;
			listening = repeat(async () => {
				await rowsOf(opened, `listen ${CHANNEL}`).catch(onError);
				return LISTEN_EVERY_MS;
			}, 0);
		},
		async close(): Promise<void> {
			clearTimeout(timer);
			tell();
			const stopped = listening?.stop();
			await ear?.end();
			await stopped;
		},
	};
}

/** A burst is reported once per form, without the single submissions; so are the events of other servers. */
function summarise(events: readonly AppEvent[]): AppEvent[][] {
	const others = new Map(events.filter((event) => !isFormEvent(event)).map((event) => [JSON.stringify(event), event]));
	const ofForms = events.filter(isFormEvent);
	const forms = new Set(ofForms.map(({ formId }) => formId));
	const single: AppEvent[] =
		ofForms.length <= MAX_EVENTS ? ofForms : [...forms].map((formId) => ({ type: 'change', formId }));
	return [[...others.values()], single].flatMap(inParts);
}

function inParts(events: readonly AppEvent[]): AppEvent[][] {
	const parts: AppEvent[][] = [];
	for (let at = 0; at < events.length; at += MAX_EVENTS) parts.push(events.slice(at, at + MAX_EVENTS));
	return parts;
}
