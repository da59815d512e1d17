/** The audit log as it is read, and its own end: entries go by age. */

import { and, count, desc, eq, gte, inArray, lt, type SQL } from 'drizzle-orm';
import { invalidField } from '../errors.ts';
import { parsePage, readTimes, single, type Times } from '../http/query-parameters.ts';
import { encodeId, rowId } from '../ids.ts';
import { type AuditRow, auditLog } from '../storage/audit-table.ts';
import type { Storage } from '../storage/contract.ts';
import { apiKeys } from '../storage/session-tables.ts';
import type { Mode } from '../storage/tables.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';
import { ACTOR_KINDS, type ActorKind, TOTAL_MAX } from './bounds.ts';
import type { AuditEntry, AuditLog } from './schema.ts';

const CHUNK = 500;
const ACTION = /^[A-Za-z][A-Za-z0-9 -]{0,63}$/;
const OBJECT = /^[a-z]{1,30}:[0-9a-z]{1,11}$/;

export interface AuditQuery extends Times {
	limit: number;
	offset: number;
	action?: string;
	actor?: string;
	object?: string;
}

export type AuditEntries = ReturnType<typeof createAuditEntries>;

export function createAuditEntries({ db, clock }: Storage) {
	async function totalOf(matching: SQL | undefined): Promise<number> {
		const counted = db.select({ id: auditLog.id }).from(auditLog).where(matching).limit(TOTAL_MAX).as('counted');
		const [row] = await db.select({ count: count() }).from(counted);
		return Number(row?.count ?? 0);
	}

	/** Not of all entries, which may be millions. */
	async function recentActions(mode: Mode | undefined): Promise<string[]> {
		const recent = db
			.select({ action: auditLog.action })
			.from(auditLog)
			.where(mode && eq(auditLog.mode, mode))
			.orderBy(desc(auditLog.id))
			.limit(TOTAL_MAX)
			.as('recent');
		const rows = await db.selectDistinct({ action: recent.action }).from(recent);
		return rows.map(({ action }) => action).sort();
	}

	/** The names of the keys among the actors. */
	async function namesOf(rows: readonly AuditRow[]): Promise<Map<string, string>> {
		const ids = rows.map(({ actor }) => actor).filter((actor) => actor.startsWith('key:'));
		const keyIds = [...new Set(ids)].map((actor) => rowId(actor.slice('key:'.length)));
		const { id, name, display } = apiKeys;
		const keys = await db.select({ id, name, display }).from(apiKeys).where(inArray(apiKeys.id, keyIds));
		return new Map(keys.map((key) => [`key:${encodeId(key.id)}`, key.name || key.display]));
	}

	return {
		/** Newest first. Without a mode, entries of both. */
		async list({ limit, offset, sinceMs, untilMs, ...query }: AuditQuery, mode?: Mode): Promise<AuditLog> {
			const timeline = clock.timeline();
			const matching = and(
				mode && eq(auditLog.mode, mode),
				query.action === undefined ? undefined : eq(auditLog.action, query.action),
				query.actor === undefined ? undefined : eq(auditLog.actor, query.actor),
				query.object === undefined ? undefined : isAbout(query.object),
				sinceMs === undefined ? undefined : gte(auditLog.id, timeline.firstIdAfter(sinceMs)),
				untilMs === undefined ? undefined : lt(auditLog.id, timeline.firstIdAfter(untilMs)),
			);
			const rows: AuditRow[] = await db
				.select()
				.from(auditLog)
				.where(matching)
				.orderBy(desc(auditLog.id))
				.limit(limit + 1)
				.offset(offset);
			const page = rows.slice(0, limit);
			const names = await namesOf(page);
			return {
				entries: page.map((row) => toEntry(row, { name: names.get(row.actor), createdAt: timeline.isoOf(row.id) })),
				actions: await recentActions(mode),
				pagination: { limit, offset, total: await totalOf(matching), hasMore: rows.length > limit },
			};
		},
	};
}

/** Everything about a form is about it, its submissions included. */
function isAbout(object: string): SQL {
	const [kind, id = ''] = object.split(':');
	return kind === 'form' ? eq(auditLog.formId, rowId(id)) : eq(auditLog.object, object);
}

function toEntry(row: AuditRow, { name = null, createdAt }: { name?: string | null; createdAt: string }): AuditEntry {
	const [kind, id = null] = row.actor.split(/:(.*)/s);
	const [objectKind, objectId] = row.object?.split(':') ?? [];
	return {
		id: encodeId(row.id),
		createdAt,
		mode: row.mode,
		action: row.action,
		actor: { kind: kind as ActorKind, id, name },
		session: row.session,
		form: row.formId === null ? null : encodeId(row.formId),
		object: objectKind && objectId ? { kind: objectKind, id: objectId } : null,
		address: row.address,
		count: row.count,
		details: row.details ?? {},
	};
}

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseAuditQuery(params: URLSearchParams): AuditQuery {
	const [action, actor, object] = ['action', 'actor', 'object'].map((name) => single(params, name));
	if (action !== undefined && !ACTION.test(action))
		throw invalidField('action', 'INVALID_VALUE', 'action must be the name of an action, such as updateForm.');
	if (actor !== undefined && !ACTOR_KINDS.some((kind) => kind === actor.split(':')[0]))
		throw invalidField(
			'actor',
			'INVALID_VALUE',
			'actor must be key:ID, session:ID, user:NAME, link, server, unknown or others.',
		);
	if (object !== undefined && !OBJECT.test(object))
		throw invalidField('object', 'INVALID_VALUE', 'object must be a kind and an id, such as form:cmnrg2x7k8w.');
	return {
		...parsePage(params),
		...readTimes({ since: single(params, 'since'), until: single(params, 'until') }),
		action,
		actor,
		object,
	};
}

/** Removes entries from before a moment, in chunks. For a settled clock only: a deletion is final. */
export async function expireAuditLog(
	{ batch, clock }: Pick<Storage, 'batch' | 'clock'>,
	{ before, pause }: { before: number; pause: Pause },
): Promise<void> {
	const isOld = lt(auditLog.id, clock.timeline().firstIdAfter(before));
	await inChunks(async () => {
		const [removed] = await batch((tx) => {
			const some = tx.select({ id: auditLog.id }).from(auditLog).where(isOld).orderBy(auditLog.id).limit(CHUNK);
			return [tx.delete(auditLog).where(inArray(auditLog.id, some)).returning({ id: auditLog.id })];
		});
		return removed.length === CHUNK;
	}, pause);
}
