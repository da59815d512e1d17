/** Does the erasures that are noted and not done: in pieces, again from the beginning if it was stopped or killed. */

import { sweepFiles } from '../../files/sweep.ts';
import type { TrackedStore } from '../../files/tracked-store.ts';
import { sweepForms } from '../../forms/sweep.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Pause } from '../../tasks/in-chunks.ts';
import {
	eraseAuditDetails,
	eraseDeliveries,
	eraseIdempotencyKeys,
	eraseListEntries,
	findDeliveries,
	findListEntries,
	isMailInFlight,
} from './beside-submissions.ts';
import { findSubmissions } from './find-submissions.ts';
import { createMatcher } from './matcher.ts';
import type { ErasureCounts, ErasureRecord, ErasureRecords } from './records.ts';

/** After a kill, another process goes on so much later. */
const LEASE_MS = 15_000;
const RENEW_AFTER_MS = LEASE_MS / 3;
/** Submissions that one transaction removes. */
const CHUNK = 200;
const LOOK_AGAIN_MS = 250;

interface ErasureRun {
	records: ErasureRecords;
	store: TrackedStore;
	now: () => number;
	pause: Pause;
}

/** Resolves once nothing is left that this process could do now; an error leaves what is not done to the next run. */
export async function runErasures(storage: Storage, { records, store, now, pause }: ErasureRun): Promise<void> {
	const held = await lease(records, now);
	if (held.length === 0) return;
	let renewedAt = performance.now();
	let isLost = false;

	/** Writes the records as they are. */
	async function save(leaseMs = LEASE_MS): Promise<void> {
		renewedAt = performance.now();
		for (const one of held) {
			const after: ErasureRecord = { ...one.record, leasedUntil: now() + leaseMs };
			if (!(await records.replace(one.stored, after))) isLost = true;
			one.stored = after;
		}
	}

	/** Pauses; resolves to whether to go on. */
	async function goOn(): Promise<boolean> {
		if (performance.now() - renewedAt > RENEW_AFTER_MS) await save();
		return !isLost && (await pause());
	}

	async function erase(): Promise<void> {
		const searched = held.map(({ record }) => record).filter(({ state }) => state === 'running');
		if (searched.length > 0) {
			if (!(await eraseRows(storage, { people: searched, now, goOn }))) return;
			for (const record of searched) record.state = 'files';
			await save();
		}
		if (isLost || !(await sweepFiles(storage, { store, pause: goOn, onlyRemoved: true }))) return;
		for (const { record } of held) {
			record.state = 'done';
			if (record.againAt === undefined) record.finishedAt = now();
			else record.againAt = now();
		}
	}

	try {
		await erase();
	} finally {
		await save(0);
	}
}

async function lease(records: ErasureRecords, now: () => number) {
	const held: { stored: ErasureRecord; record: ErasureRecord }[] = [];
	for (const record of await records.pending()) {
		const leftMs = record.leasedUntil - now();
		// A clock that was set back leaves a lease far ahead.
		if (leftMs > 0 && leftMs <= LEASE_MS) continue;
		const stored = { ...record, leasedUntil: now() + LEASE_MS };
		if (await records.replace(record, stored)) held.push({ stored, record: structuredClone(stored) });
	}
	return held;
}

interface Work {
	people: readonly ErasureRecord[];
	now: () => number;
	goOn: Pause;
}

/** @returns Whether it came to its end. */
async function eraseRows(storage: Storage, work: Work): Promise<boolean> {
	// Forms that were deleted are not searched: all of them goes.
	await sweepForms(storage, { pause: work.goOn, now: work.now });
	return (await eraseSubmissions(storage, work)) && (await eraseBeside(storage, work));
}

async function eraseSubmissions(storage: Storage, { people, goOn }: Work): Promise<boolean> {
	const beforeId = Math.max(...people.map((person) => person.beforeId));
	const call = {};
	const pieces = findSubmissions(storage, { people, beforeId, pause: goOn });
	for (let step = await pieces.next(); ; step = await pieces.next()) {
		if (step.done) return step.value;
		const { formId, found, nextId } = step.value;
		const due = found.map((one) => ({ ...one, records: recordsOf(people, one.people, one.id) }));
		const going = due.filter(({ records }) => records.length > 0);
		for (let at = 0; at < going.length; at += CHUNK) {
			const some = going.slice(at, at + CHUNK);
			const ids = some.map(({ id }) => id);
			const removed = new Set(await storage.submissions.remove(formId, ids, { call }));
			for (const { id, files, records } of some) {
				if (!removed.has(id)) continue;
				for (const { counts } of records) add(counts, { submissions: 1, files });
			}
		}
		if (nextId === undefined) await storage.submissions.forgetNames(formId);
	}
}

async function eraseBeside(storage: Storage, { people, now, goOn }: Work): Promise<boolean> {
	const match = createMatcher(people);
	const beforeId = Math.max(...people.map((person) => person.beforeId));
	while (await isMailInFlight(storage, now())) {
		await Bun.sleep(LOOK_AGAIN_MS);
		if (!(await goOn())) return false;
	}
	for await (const found of findDeliveries(storage, match)) {
		// One that is erased again leaves alone what came after it.
		const due = found.filter(({ id, people: named }) =>
			[...named].some((at) => people[at]?.againAt === undefined || id < people[at].beforeId),
		);
		await eraseDeliveries(storage, due);
		for (const { people: named } of due) for (const at of named) add(people[at]?.counts, { deliveries: 1 });
		if (!(await goOn())) return false;
	}
	for await (const found of findListEntries(storage, match, beforeId)) {
		const due = found.filter(({ id, people: named }) => recordsOf(people, named, id).length > 0);
		await eraseListEntries(storage, due);
		for (const { people: named } of due) for (const at of named) add(people[at]?.counts, { listEntries: 1 });
		if (!(await goOn())) return false;
	}
	await eraseAuditDetails(storage, match, beforeId);
	await eraseIdempotencyKeys(storage, match);
	return true;
}

/** Those of the people at these places whose erasure is later than an id. */
function recordsOf(people: readonly ErasureRecord[], places: Iterable<number>, id: number): ErasureRecord[] {
	return [...places].flatMap((at) => people[at] ?? []).filter(({ beforeId }) => id < beforeId);
}

function add(counts: ErasureCounts | undefined, more: Partial<ErasureCounts>): void {
	if (counts) for (const [name, count] of Object.entries(more)) counts[name as keyof ErasureCounts] += count;
}
