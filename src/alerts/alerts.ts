/**
 * Alerts the operator when a problem begins and when it is over, at most once an hour for each cause. Sent directly, not by
 * the outbox, which may be what is broken.
 */

import type { Log } from '../log/log.ts';
import { HOUR_MS } from '../tasks/durations.ts';
import type { Cause } from './causes.ts';
import type { Claims } from './claims.ts';

/** A receiver that failed is left out of so many looks. */
const LOOKS_BETWEEN_ATTEMPTS = 12;
/** After a start, so many looks pass until all causes have been looked for: until then none that began before is over. */
const SETTLING_LOOKS = 24;
/** The most alerts that wait for a receiver; beyond it the oldest are dropped. */
const MAX_WAITING = 100;

export interface Alert extends Cause {
	state: 'begun' | 'over' | 'test';
	/** When the cause was first seen, in milliseconds since 1970. */
	since: number;
}

/** A way to reach the operator. */
export interface Receiver {
	/** For people, without secrets; `null` while it is not set up. */
	readonly name: string | null;
	/** @returns Why it could not be sent; `undefined` if it was. It must not throw. */
	send(alert: Alert): Promise<string | undefined>;
}

interface AlertOptions {
	present(): readonly Cause[];
	claims: Claims;
	receivers: readonly Receiver[];
	log: Log;
	now(): number;
}

/** @returns `look`, to be called every few seconds: it looks for causes, and sends what there is to tell */
export function createAlerts({ present, claims, receivers, log, now }: AlertOptions): { look(): Promise<void> } {
	/** The causes of this process by name. `isTold`: an alert of the beginning was made; `isClaimed`: by a process before, which could not send it. */
	const open = new Map<
		string,
		{ since: number; problem: string; isTold: boolean; isRecalled?: true; isClaimed?: boolean }
	>();
	let looks = 0;
	/** When the last alert of a cause was made, for times when the database does not tell. */
	const toldAt = new Map<string, number>();
	const queues = receivers.map((receiver) => createQueue(receiver, { log, sent }));
	let isRecalled = false;

	function tell(alert: Alert): void {
		if (alert.state === 'begun') toldAt.set(alert.name, now());
		for (const queue of queues) queue.add(alert);
	}

	async function sent({ state, name }: Alert): Promise<void> {
		if (state === 'begun') await claims.sent(name).catch(() => {});
		// Not before it has arrived, so that a restart sends it.
		else if (!open.get(name)?.isTold) await claims.end(name).catch(() => {});
	}

	/** The causes that were open when the server stopped. */
	async function recall(): Promise<void> {
		if (isRecalled) return;
		for (const { name, isOpen, isMine, isSent, claimedAt } of await claims.list()) {
			if (isOpen && isMine && !open.has(name))
				open.set(name, { since: claimedAt, problem: '', isTold: isSent, isRecalled: true, isClaimed: !isSent });
		}
		isRecalled = true;
	}

	async function begin({ name, problem }: Cause): Promise<void> {
		const one = open.get(name) ?? { since: now(), problem, isTold: false };
		one.problem = problem;
		open.set(name, one);
		if (one.isTold) return;
		const mayTell = await claims
			.begin(name, { now: now(), withinMs: HOUR_MS })
			.catch(() => Math.abs(now() - (toldAt.get(name) ?? Number.NEGATIVE_INFINITY)) >= HOUR_MS);
		if (!mayTell && !one.isClaimed) return;
		one.isTold = true;
		tell({ state: 'begun', name, problem, since: one.since });
	}

	async function end(name: string): Promise<void> {
		const one = open.get(name);
		if (one?.isRecalled && looks < SETTLING_LOOKS) return;
		open.delete(name);
		if (one?.isTold) tell({ state: 'over', name, problem: one.problem, since: one.since });
		else if (one?.isClaimed) await claims.end(name).catch(() => {});
	}

	return {
		async look() {
			try {
				await recall().catch(() => {});
				looks++;
				const causes = present();
				for (const cause of causes) await begin(cause);
				for (const name of [...open.keys()]) if (!causes.some((cause) => cause.name === name)) await end(name);
			} catch (cause) {
				log.error('The causes of alerts could not be checked; this is tried again.', { cause });
			}
			await Promise.all(queues.map((queue) => queue.send()));
		},
	};
}

/** The alerts that wait for a receiver, in their order. */
function createQueue(receiver: Receiver, { log, sent }: { log: Log; sent(alert: Alert): Promise<void> }) {
	let waiting: Alert[] = [];
	let skips = 0;
	return {
		add(alert: Alert): void {
			if (receiver.name !== null) waiting = [...waiting, alert].slice(-MAX_WAITING);
		},
		async send(): Promise<void> {
			if (skips > 0) {
				skips--;
				return;
			}
			for (let [alert] = waiting; alert; [alert] = waiting) {
				const problem = await receiver.send(alert);
				if (problem !== undefined) {
					log.error('An alert could not be sent; it is tried again in a minute.', { receiver: receiver.name, problem });
					skips = LOOKS_BETWEEN_ATTEMPTS;
					return;
				}
				waiting = waiting.slice(1);
				await sent(alert);
			}
		},
	};
}
