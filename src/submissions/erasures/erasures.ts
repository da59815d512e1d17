/** Erases a person: what names an address goes from all forms of both modes; a record stays that does not name it. */

import { max } from 'drizzle-orm';
import { AppError, invalidField } from '../../errors.ts';
import type { TrackedStore } from '../../files/tracked-store.ts';
import { createConcurrencyLimit } from '../../http/concurrency-limit.ts';
import { rowId } from '../../ids.ts';
import { recordAction } from '../../storage/audit/action.ts';
import type { Storage } from '../../storage/contract.ts';
import { againOf } from '../../storage/erasure-records.ts';
import { createServerSecret } from '../../storage/server-secret.ts';
import { submissions as submissionTable } from '../../storage/tables.ts';
import type { Pause } from '../../tasks/in-chunks.ts';
import { type FoundDelivery, findDeliveries, findListEntries, findSettings } from './beside-submissions.ts';
import { peopleIn } from './find-people.ts';
import { findSubmissions } from './find-submissions.ts';
import { createMatcher, type Matcher, type Person, personOf } from './matcher.ts';
import { createErasureRecords, type ErasureRecord, NOTHING_ERASED, presentErasure } from './records.ts';
import { runErasures } from './run.ts';
import type { Erasure, ErasureOutcome, KeptSetting } from './schema.ts';

/** Dry runs at one time: each reads all submissions. */
const PREVIEWS = {
	perCaller: 1,
	inAll: 2,
	waitMs: 15_000,
	message: 'Another dry run of an erasure is in progress; try again when it is through.',
};
const LOOK_EVERY_MS = 100;
const goOn = async () => true;

export type Erasures = ReturnType<typeof createErasures>;

export function createErasures(storage: Storage, { store, now }: { store: TrackedStore; now: () => number }) {
	const records = createErasureRecords(storage);
	const secret = createServerSecret(storage, 'erasure_secret');
	const turns = createConcurrencyLimit(PREVIEWS);
	const present = (record: ErasureRecord) => presentErasure(record, storage.clock.timeline());

	/** Later than the id of each submission that was acknowledged by now, whichever process stored it. */
	async function presentId(): Promise<number> {
		const [row] = await storage.db.select({ newest: max(submissionTable.id) }).from(submissionTable);
		return Math.max(storage.clock.end(), (row?.newest ?? 0) + 1);
	}

	/** With a submission that goes, its deliveries go. */
	async function goesAlong({ formId, submissionId }: FoundDelivery, match: Matcher): Promise<boolean> {
		const row = submissionId === null ? undefined : await storage.submissions.get(formId, submissionId);
		const files = row && (await storage.submissions.files([row.id])).get(row.id);
		return row !== undefined && peopleIn(match, { ...row, files }).size > 0;
	}

	async function count(person: Person): Promise<ErasureOutcome> {
		const counts = { ...NOTHING_ERASED };
		const match = createMatcher([person]);
		const beforeId = await presentId();
		for await (const { found } of findSubmissions(storage, { people: [person], beforeId, pause: goOn })) {
			counts.submissions += found.length;
			for (const { files } of found) counts.files += files;
		}
		for await (const found of findDeliveries(storage, match))
			for (const delivery of found) if (!(await goesAlong(delivery, match))) counts.deliveries++;
		for await (const found of findListEntries(storage, match, beforeId)) counts.listEntries += found.length;
		return { dryRun: true, ...counts, settings: await findSettings(storage, match) };
	}

	return {
		presentId,
		/**
		 * Counts what an erasure would remove.
		 * @throws AppError VALIDATION_ERROR, UNAVAILABLE if too many are asked for at once
		 */
		async preview(email: string, caller: string): Promise<ErasureOutcome> {
			const person = requirePerson(email, crypto.getRandomValues(new Uint8Array(32)).toHex());
			storage.submissions.prepareScan();
			using _turn = await turns.take(caller);
			return await count(person);
		},
		/** Says in the audit log that it was only a dry run. */
		recordPreview: () => recordAction(storage, { facts: { dryRun: true } }),
		/**
		 * Notes that an address is to be erased, with all that was acknowledged until now: once this resolves, it is done even if the
		 * process is killed. `run` does it.
		 * @param by Who asked for it.
		 * @throws AppError VALIDATION_ERROR
		 */
		async note(email: string, by: string): Promise<{ erasure: Erasure; settings: KeptSetting[] }> {
			const person = requirePerson(email, await secret());
			const record: ErasureRecord = {
				...person,
				id: storage.nextId(),
				by,
				beforeId: await presentId(),
				state: 'running',
				leasedUntil: 0,
				counts: { ...NOTHING_ERASED },
				finishedAt: null,
			};
			await records.add(record);
			storage.events.publish({ type: 'sweep' });
			return { erasure: present(record), settings: await findSettings(storage, createMatcher([person])) };
		},
		/** Does what is noted, in pieces with pauses; for the leader, and for commands. */
		run: (pause: Pause) => runErasures(storage, { records, store, now, pause }),
		/** Returns what is still to be done: rows have to be found, or only the bytes of removed files are left. */
		async stillRunning(): Promise<'rows' | 'files' | 'nothing'> {
			const states = (await records.pending()).map(({ state }) => state);
			if (states.length === 0) return 'nothing';
			return states.includes('running') ? 'rows' : 'files';
		},
		/** The records as they are stored, with their keys: by these an address that is known can be asked for. */
		stored: records.list,
		/** Notes records of another database, or of this one before it was restored, to be done again; returns how many it did not have. */
		async repeat(others: readonly ErasureRecord[]): Promise<number> {
			const known = new Set((await records.list()).map(({ id }) => id));
			const missing = others.filter(({ id }) => !known.has(id));
			await records.add(...missing.map(againOf));
			return missing.length;
		},
		/** Newest first. */
		list: async (): Promise<Erasure[]> => (await records.list()).map(present),
		/** Waits until one is done, but no longer than so. @throws AppError NOT_FOUND */
		async settled(id: string, withinMs: number): Promise<Erasure> {
			for (const giveUpAt = performance.now() + withinMs; ; await Bun.sleep(LOOK_EVERY_MS)) {
				const record = await records.get(rowId(id));
				if (!record) throw new AppError('NOT_FOUND', 'There is no such erasure.');
				if (record.state === 'done' || performance.now() > giveUpAt) return present(record);
			}
		},
	};
}

/** @throws AppError VALIDATION_ERROR */
export function requirePerson(email: string, key: string): Person {
	const person = personOf(email, key);
	if (person) return person;
	throw invalidField('email', 'INVALID_EMAIL', 'email must be one mail address, such as ada@example.com.');
}
