/**
 * The records of erasures, among the server's values: they say whom to erase without saying who that is, so that an erasure is
 * finished after a crash, and done again when a backup brings back what was erased.
 */

import { and, eq, like, notLike, type SQL } from 'drizzle-orm';
import { encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { ERASURE_PREFIX } from '../../storage/erasure-records.ts';
import { serverValues } from '../../storage/tables.ts';
import type { Timeline } from '../../storage/timeline.ts';
import type { Person } from './matcher.ts';
import type { Erasure, ErasureOutcome, KeptSetting } from './schema.ts';

/** Rows that went. Mails and webhook requests of erased submissions go with them, and are not counted. */
export interface ErasureCounts {
	submissions: number;
	files: number;
	/** Mails, digests and webhook requests. */
	deliveries: number;
	listEntries: number;
}

export const NOTHING_ERASED: ErasureCounts = { submissions: 0, files: 0, deliveries: 0, listEntries: 0 };

/** As it is stored, in JSON. Times in milliseconds since 1970. */
export interface ErasureRecord extends Person {
	/** Carries the moment of the request. */
	id: number;
	by: string;
	/** Ids below this are erased; what comes later stays. */
	beforeId: number;
	/** `running`: rows are being searched and removed; `files`: the bytes of their files are left. */
	state: 'running' | 'files' | 'done';
	/** Until then a process is at work on it; others wait. */
	leasedUntil: number;
	counts: ErasureCounts;
	finishedAt: number | null;
	/** A backup was restored that was made before it: when it was done again, `null` for not yet. */
	againAt?: number | null;
}

const nameOf = ({ id }: Pick<ErasureRecord, 'id'>) => ERASURE_PREFIX + encodeId(id);
const textOf = (record: ErasureRecord) => JSON.stringify(record);

export type ErasureRecords = ReturnType<typeof createErasureRecords>;

export function createErasureRecords({ db, batch }: Pick<Storage, 'db' | 'batch'>) {
	const all = like(serverValues.name, `${ERASURE_PREFIX}%`);

	async function read(condition: SQL | undefined): Promise<ErasureRecord[]> {
		const rows = await db.select({ value: serverValues.value }).from(serverValues).where(condition);
		return rows.map(({ value }) => JSON.parse(value) as ErasureRecord).sort((a, b) => b.id - a.id);
	}

	return {
		/** Newest first. */
		list: () => read(all),
		pending: () => read(and(all, notLike(serverValues.value, '%"state":"done"%'))),
		async get(id: number): Promise<ErasureRecord | undefined> {
			return (await read(eq(serverValues.name, nameOf({ id }))))[0];
		},
		async add(...added: ErasureRecord[]): Promise<void> {
			const rows = added.map((record) => ({ name: nameOf(record), value: textOf(record) }));
			const [first] = added;
			await batch(
				(tx) => rows.map((row) => tx.insert(serverValues).values(row).onConflictDoNothing()),
				() => (first === undefined ? null : { object: `erasure:${encodeId(first.id)}` }),
			);
		},
		/** Returns whether it was still as `before`: another process may have taken it. */
		async replace(before: ErasureRecord, after: ErasureRecord): Promise<boolean> {
			const isSame = and(eq(serverValues.name, nameOf(before)), eq(serverValues.value, textOf(before)));
			const [rows] = await batch((tx) => [
				tx
					.update(serverValues)
					.set({ value: textOf(after) })
					.where(isSame)
					.returning({ name: serverValues.name }),
			]);
			return rows.length > 0;
		},
	};
}

const HEX = /^[0-9a-f]{64}$/;

/** Returns whether a value is a record, as `list` returns them. */
export function isErasureRecord(value: unknown): value is ErasureRecord {
	const { id, key, hash, joints, beforeId, by, counts } = (value ?? {}) as Partial<ErasureRecord>;
	const numbers = [
		id,
		beforeId,
		...(Array.isArray(joints) && joints.length === 2 ? joints : [null]),
		...Object.values(counts ?? {}),
	];
	return HEX.test(`${key}`) && HEX.test(`${hash}`) && typeof by === 'string' && numbers.every(Number.isSafeInteger);
}

/** For people: without the key, and no more of the hash than tells one address from another. */
export function presentErasure(record: ErasureRecord, timeline: Timeline): Erasure {
	const { id, hash, by, state, counts, finishedAt, againAt } = record;
	const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
	return {
		id: encodeId(id),
		hash,
		by,
		createdAt: timeline.isoOf(id),
		state: state === 'done' ? 'done' : 'running',
		finishedAt: iso(finishedAt),
		againAt: iso(againAt ?? null),
		...counts,
	};
}

/** An erasure as the response to who asked for it. */
export function outcomeOf(erasure: Erasure, settings: KeptSetting[]): ErasureOutcome {
	const { submissions, files, deliveries, listEntries } = erasure;
	return { dryRun: false, submissions, files, deliveries, listEntries, settings, erasure };
}
