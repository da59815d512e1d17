/** Texts that name a person outside of submissions: kept mails and webhook requests, lists, keys of repeated requests, settings. */

import { and, asc, eq, gt, inArray, isNull, lt, or } from 'drizzle-orm';
import { hasFacts } from '../../delivery/webhooks/facts.ts';
import { encodeId } from '../../ids.ts';
import { type Details, SECRET } from '../../storage/audit/changes.ts';
import { auditLog } from '../../storage/audit-table.ts';
import type { Storage } from '../../storage/contract.ts';
import { apiKeys } from '../../storage/session-tables.ts';
import { deliveries, forms, idempotencyKeys, listEntries, webhooks } from '../../storage/tables.ts';
import type { Matcher } from './matcher.ts';
import type { KeptSetting } from './schema.ts';

const CHUNK = 100;
/** How long it searches texts without letting others go first. */
const TURN_MS = 8;

type Db = Pick<Storage, 'db'>;

export interface FoundRow {
	id: number;
	/** The places of those whom it names. */
	people: Set<number>;
}

export interface FoundDelivery extends FoundRow {
	formId: number;
	submissionId: number | null;
	/** True if it went, or was to go, to one of them. */
	isAddressed: boolean;
	/** True if it is still to be sent. */
	isDue: boolean;
	/** True if its content is what it announces, which names no one. */
	isAnnouncement: boolean;
}

/** Searches in turns; returns after each chunk what was found in it. */
async function* search<Row extends object, Found>(
	read: (after: Row | undefined) => PromiseLike<Row[]>,
	find: (row: Row) => Found | undefined,
): AsyncGenerator<Found[]> {
	for (let last: Row | undefined; ; ) {
		const rows = await read(last);
		const found: Found[] = [];
		let began = performance.now();
		for (const row of rows) {
			const one = find(row);
			if (one !== undefined) found.push(one);
			if (performance.now() - began < TURN_MS) continue;
			await new Promise((resolve) => setImmediate(resolve));
			began = performance.now();
		}
		yield found;
		last = rows.at(-1);
		if (rows.length < CHUNK) return;
	}
}

type ById = typeof deliveries | typeof listEntries | typeof auditLog;

/** Reads a table in the order of its ids, below one. */
const inOrder =
	<Table extends ById>({ db }: Db, table: Table, beforeId = Number.MAX_SAFE_INTEGER) =>
	(last?: Table['$inferSelect']): PromiseLike<Table['$inferSelect'][]> =>
		db
			.select()
			.from(table as ById)
			.where(and(gt(table.id, last?.id ?? 0), lt(table.id, beforeId)))
			.orderBy(asc(table.id))
			.limit(CHUNK);

const named = <Found extends FoundRow>(found: Found) => (found.people.size > 0 ? found : undefined);

export function findDeliveries(storage: Db, match: Matcher): AsyncGenerator<FoundDelivery[]> {
	return search(inOrder(storage, deliveries), (row) => {
		const addressed = match([row.destination]);
		return named({
			id: row.id,
			formId: row.formId,
			submissionId: row.submissionId,
			people: match([row.lastError, row.content]).union(addressed),
			isAddressed: addressed.size > 0,
			isDue: row.state === 'waiting' || row.state === 'sending',
			isAnnouncement: hasFacts(row),
		});
	});
}

/**
 * Removes what was sent to them, and the content of the rest. What is still to be sent to them stays: it goes where a setting of a form
 * says.
 */
export async function eraseDeliveries(
	{ batch }: Pick<Storage, 'batch'>,
	found: readonly FoundDelivery[],
): Promise<void> {
	if (found.length === 0) return;
	const isGone = ({ isAddressed, isDue }: FoundDelivery) => isAddressed && !isDue;
	const idsOf = (rows: readonly FoundDelivery[]) =>
		inArray(
			deliveries.id,
			rows.map(({ id }) => id),
		);
	const gone = found.filter(isGone);
	await batch((tx) => [
		tx.delete(deliveries).where(idsOf(gone)),
		tx.update(deliveries).set({ lastError: null }).where(idsOf(found)),
		tx
			.update(deliveries)
			.set({ content: null })
			.where(idsOf(found.filter(({ isAnnouncement }) => !isAnnouncement))),
	]);
}

/** Returns whether a mail about no submission is being sent, a digest or a notice, whose content is stored when that ends. */
export async function isMailInFlight({ db }: Db, now: number): Promise<boolean> {
	const inFlight = and(
		eq(deliveries.channel, 'mail'),
		isNull(deliveries.submissionId),
		eq(deliveries.state, 'sending'),
		gt(deliveries.nextAttemptAt, now),
	);
	return (await db.select({ id: deliveries.id }).from(deliveries).where(inFlight).limit(1)).length > 0;
}

export function findListEntries(storage: Db, match: Matcher, beforeId: number): AsyncGenerator<FoundRow[]> {
	return search(inOrder(storage, listEntries, beforeId), ({ id, entry }) => named({ id, people: match([entry]) }));
}

export async function eraseListEntries({ batch }: Pick<Storage, 'batch'>, found: readonly FoundRow[]): Promise<void> {
	const ids = found.map(({ id }) => id);
	if (ids.length > 0) await batch((tx) => [tx.delete(listEntries).where(inArray(listEntries.id, ids))]);
}

/** In the audit log stands what owners set, such as an entry of a list; that it was changed stays there. */
export async function eraseAuditDetails(
	{ db, batch }: Pick<Storage, 'batch' | 'db'>,
	match: Matcher,
	beforeId: number,
): Promise<void> {
	const names = (value: unknown) => match([JSON.stringify(value)]).size > 0;
	const chunks = search(inOrder({ db }, auditLog, beforeId), ({ id, details }) =>
		details !== null && names(details) ? { id, details: withoutNamed(details, names) } : undefined,
	);
	for await (const found of chunks)
		await batch((tx) =>
			found.map(({ id, details }) => tx.update(auditLog).set({ details }).where(eq(auditLog.id, id))),
		);
}

function withoutNamed({ changes = {}, counts, facts = {} }: Details, names: (value: unknown) => boolean): Details {
	const shown = Object.entries(changes).map(([name, change]) => [name, names(change) ? SECRET : change] as const);
	return {
		changes: Object.fromEntries(shown),
		...(counts && { counts }),
		facts: Object.fromEntries(Object.entries(facts).filter(([, value]) => !names(value))),
	};
}

/** The keys by which clients repeat a request, and where they were led: kept for a day. */
export async function eraseIdempotencyKeys(
	{ db, batch }: Pick<Storage, 'batch' | 'db'>,
	match: Matcher,
): Promise<void> {
	const { formId, key, next } = idempotencyKeys;
	type Row = { formId: number; key: string; next: string | null };
	const isBehind = (last: Row) => or(gt(formId, last.formId), and(eq(formId, last.formId), gt(key, last.key)));
	const chunks = search(
		(last?: Row) =>
			db
				.select({ formId, key, next })
				.from(idempotencyKeys)
				.where(last && isBehind(last))
				.orderBy(asc(formId), asc(key))
				.limit(CHUNK),
		(row) => (match([row.key, row.next]).size > 0 ? row : undefined),
	);
	for await (const found of chunks) {
		if (found.length === 0) continue;
		const these = found.map((row) => and(eq(formId, row.formId), eq(key, row.key)));
		await batch((tx) => [tx.delete(idempotencyKeys).where(or(...these))]);
	}
}

/** Settings are typed by owners. */
export async function findSettings({ db }: Db, match: Matcher): Promise<KeptSetting[]> {
	const holds = (value: unknown) => match([typeof value === 'string' ? value : JSON.stringify(value ?? null)]).size > 0;
	const found: KeptSetting[] = [];
	for (const { id, ...settings } of await db.select().from(forms).where(isNull(forms.deletedAt)))
		for (const [setting, value] of Object.entries(settings))
			if (holds(value)) found.push({ form: encodeId(id), setting });
	for (const { formId, url } of await db.select({ formId: webhooks.formId, url: webhooks.url }).from(webhooks))
		if (holds(url)) found.push({ form: encodeId(formId), setting: 'webhooks' });
	for (const key of await db.select({ name: apiKeys.name, email: apiKeys.email }).from(apiKeys))
		if (holds(key)) found.push({ form: null, setting: 'keys' });
	return found;
}
