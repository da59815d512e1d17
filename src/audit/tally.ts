/** Counts what happens often and changes nothing, such as downloads and wrong keys, and writes it to the audit log behind the responses. */

import { eq, sql } from 'drizzle-orm';
import type { Log } from '../log/log.ts';
import { auditLog } from '../storage/audit-table.ts';
import type { Storage } from '../storage/contract.ts';
import type { Mode } from '../storage/tables.ts';

const WRITE_AFTER_MS = 1000;

export interface Event {
	action: string;
	actor: string;
	mode: Mode;
	session?: string | null;
	formId?: number | null;
	object?: string | null;
	address?: string | null;
	facts?: Record<string, string>;
}

interface Counted {
	event: Event;
	/** Id of its entry, which carries the moment of the first time. */
	id: number;
	isStored: boolean;
	/** How often since it was written. */
	count: number;
}

interface TallyOptions {
	/** The same event within this time is one entry. */
	windowMs: number;
	/** Entries in that time; whatever comes beyond shares one for each action, without what it was about. */
	most: number;
	log: Pick<Log, 'error'>;
	now: () => number;
}

export function createTally({ batch, nextId }: Storage, { windowMs, most, log, now }: TallyOptions) {
	let counted = new Map<string, Counted>();
	let endsAt = 0;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let writing: Promise<void> = Promise.resolve();

	function find(event: Event): Counted {
		const key = JSON.stringify(event);
		const found = counted.get(key);
		if (found) return found;
		const { action, mode } = event;
		if (counted.size >= most && event.actor !== 'others') return find({ action, mode, actor: 'others' });
		const made = { event, id: nextId(), isStored: false, count: 0 };
		counted.set(key, made);
		return made;
	}

	/** An entry that fails to be stored stays for the next time. */
	async function write(): Promise<void> {
		const due = [...counted.values()].filter(({ count }) => count > 0).map((one) => ({ one, count: one.count }));
		if (due.length === 0) return;
		await batch(
			(tx) =>
				due.map(({ one: { id, isStored, event }, count }) =>
					isStored
						? tx
								.update(auditLog)
								.set({ count: sql`${auditLog.count} + ${count}` })
								.where(eq(auditLog.id, id))
						: tx.insert(auditLog).values({ ...rowOf(event), id, count }),
				),
			null,
		);
		for (const { one, count } of due) {
			one.isStored = true;
			one.count -= count;
		}
	}

	function writeSoon(): void {
		timer ??= setTimeout(() => {
			timer = undefined;
			writing = writing.then(write).catch((cause) => {
				log.error('The audit log could not be written; it is tried again with the next event.', { cause });
			});
		}, WRITE_AFTER_MS);
	}

	return {
		add(event: Event): void {
			const at = now();
			if (at >= endsAt || endsAt - at > windowMs) {
				counted = new Map([...counted].filter(([, { count }]) => count > 0).slice(-most));
				endsAt = at + windowMs;
			}
			find(event).count++;
			writeSoon();
		},
		async close(): Promise<void> {
			clearTimeout(timer);
			await writing;
			await write().catch((cause) => log.error('The end of the audit log could not be written.', { cause }));
		},
	};
}

function rowOf({ session = null, formId = null, object = null, address = null, facts, ...event }: Event) {
	const details = facts && Object.keys(facts).length > 0 ? { facts } : null;
	return { ...event, session, formId, object, address, details };
}
