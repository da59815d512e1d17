/**
 * Actions of owners and commands. Each leaves one entry in the audit log, in the first transaction that it makes; what further ones
 * add goes into the same entry.
 */

import { eq } from 'drizzle-orm';
import { type AuditRow, auditLog } from '../audit-table.ts';
import type { Db, Query, Storage } from '../contract.ts';
import type { Mode } from '../tables.ts';
import { type Details, mergeDetails } from './changes.ts';

/** Whom an entry names. */
export interface Actor {
	actor: string;
	session?: string | null;
	mode: Mode;
}

/** A transaction says this of the action that it belongs to. */
export interface Recorded extends Details {
	/** The mode of the object, for a command. */
	mode?: Mode;
	formId?: number;
	/** As `key:ID`. */
	object?: string;
	/** In place of the actor of the action. */
	by?: Actor;
}

interface NewAction {
	name: string;
	/** `undefined` while there is none: then nothing is recorded. */
	actor: () => Actor | undefined;
	address?: string;
	formId?: number;
	object?: string;
}

export interface AuditStatement extends Query {
	toSQL(): { sql: string; params: unknown[] };
}

/** The part of a transaction in an action. */
export interface Entry {
	/** Its last statements, which are asked for again if it starts over. `null`: the transaction does not make the action happen. */
	statements(db: Db, recorded?: Recorded | null): AuditStatement[];
	within<T>(run: () => Promise<T>): Promise<T>;
}

export type Action = ReturnType<typeof createAction>;

/** For a transaction beside an action, which it neither makes happen nor keeps from being recorded. */
export const NO_ENTRY: Entry = { statements: () => [], within: (run) => run() };

export function createAction({ name, actor, ...place }: NewAction) {
	let stored: AuditRow | undefined;
	let isBusy = false;

	function newRow(id: number, { by, mode, formId, object, ...details }: Recorded): AuditRow | undefined {
		const who = by ?? actor();
		return (
			who && {
				id,
				mode: by ? by.mode : (mode ?? who.mode),
				action: name,
				actor: who.actor,
				session: who.session ?? null,
				formId: formId ?? place.formId ?? null,
				object: object ?? place.object ?? null,
				address: place.address ?? null,
				details: mergeDetails(null, details),
				count: 1,
			}
		);
	}

	return {
		isStored: () => stored !== undefined,
		/** For one transaction at a time: what goes beside it is not of the action. */
		open(nextId: () => number): Entry {
			if (isBusy) return NO_ENTRY;
			let id: number | undefined;
			let written: AuditRow | undefined;
			return {
				statements(db, recorded = {}) {
					if (recorded === null) return [];
					if (stored) {
						const { by: _, mode: __, formId: ___, object: ____, ...details } = recorded;
						if (Object.keys(details).length === 0) return [];
						written = { ...stored, details: mergeDetails(stored.details, details) };
						return [db.update(auditLog).set({ details: written.details }).where(eq(auditLog.id, stored.id))];
					}
					id ??= nextId();
					written = newRow(id, recorded);
					return written ? [db.insert(auditLog).values(written)] : [];
				},
				async within(run) {
					isBusy = true;
					try {
						const result = await run();
						stored = written ?? stored;
						return result;
					} finally {
						isBusy = false;
					}
				},
			};
		},
	};
}

/** Finds the action that a transaction belongs to: by default there is none, as for the work of a server behind its requests. */
export type Actions = ReturnType<typeof createActions>;

export function createActions() {
	let find: () => Action | undefined = () => undefined;
	return {
		/** Sets how actions are found. */
		findBy(search: () => Action | undefined): void {
			find = search;
		},
		open: (nextId: () => number): Entry => find()?.open(nextId) ?? NO_ENTRY,
	};
}

/** Records what an action says; one that made no transaction, in one of its own. */
export async function recordAction({ batch }: Pick<Storage, 'batch'>, recorded: Recorded = {}): Promise<void> {
	await batch(
		() => [],
		() => recorded,
	);
}
