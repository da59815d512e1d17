/** Idempotency keys: a repeated submission gets the first response again, and is not stored again. */

import { and, eq, gt, lt, lte, sql } from 'drizzle-orm';
import { AppError, invalidField } from '../../errors.ts';
import { type Dropped, parseDropped } from '../../form-values/dropped-files.ts';
import type { Storage } from '../../storage/contract.ts';
import { UniqueViolation } from '../../storage/errors.ts';
import type { NewIdempotencyKey } from '../../storage/submission.ts';
import { idempotencyKeys, submissions } from '../../storage/tables.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import { inChunks, type Pause } from '../../tasks/in-chunks.ts';
import { lazy } from '../../tasks/lazy.ts';
import type { Content } from '../body/content.ts';
import type { Outcome } from '../responses.ts';
import { FieldsRejected } from './field-rules.ts';

const LIFETIME_MS = DAY_MS;
const EXPIRE_AT_ONCE = 500;
const KEY = /^[\x20-\x7e]{1,255}$/;

interface KeyedRequest {
	formId: number;
	key: string;
	bodyHash: string;
}

/** Stores the submission with its key. @throws UniqueViolation if the key was stored after `since` */
type Submit = (since: number) => Promise<Outcome>;

export type Idempotency = ReturnType<typeof createIdempotency>;

export function createIdempotency(storage: Storage, now: () => number = Date.now) {
	const inFlight = new Map<string, Promise<Outcome>>();
	const select = lazy(() =>
		storage.db
			.select()
			.from(idempotencyKeys)
			.where(
				and(
					eq(idempotencyKeys.formId, sql.placeholder('formId')),
					eq(idempotencyKeys.key, sql.placeholder('key')),
					gt(idempotencyKeys.createdAt, sql.placeholder('since')),
				),
			)
			.prepare(),
	);

	/** Keys stored up to this time have expired; while the clock may be wrong, none has. */
	const expiredUntil = () => (storage.clock.isSettled() ? now() - LIFETIME_MS : 0);

	/** Returns the dropped files that the first response named; nothing if the submission is gone. */
	async function storedDropped(formId: number, submissionId: number | null): Promise<Dropped> {
		const { meta } = submissions;
		const isOne = and(eq(submissions.id, submissionId ?? -1), eq(submissions.formId, formId));
		const [row] = await storage.db.select({ meta }).from(submissions).where(isOne);
		return parseDropped(row?.meta);
	}

	async function runOnce({ formId, key, bodyHash }: KeyedRequest, submit: Submit): Promise<Outcome> {
		const find = (since: number) => select().execute({ formId, key, since });
		for (;;) {
			const since = expiredUntil();
			const [known] = await find(since);
			if (known?.bodyHash === bodyHash) {
				const { next, submissionId } = known;
				return { next, submissionId, ...(await storedDropped(formId, submissionId)) };
			}
			if (known) throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with a different body.');
			try {
				return await submit(since);
			} catch (error) {
				// Another server stored the key after the query, perhaps with the value that this one may not have again.
				if (error instanceof FieldsRejected && (await find(since)).length > 0) continue;
				if (!(error instanceof UniqueViolation)) throw error;
			}
		}
	}

	return {
		/**
		 * Runs `submit` unless the form has stored this key; a second request waits for the first.
		 * @throws AppError IDEMPOTENCY_KEY_REUSED if the key was used with another body
		 */
		async once(request: KeyedRequest, submit: Submit): Promise<Outcome> {
			const { formId, key } = request;
			const name = `${formId}:${key}`;
			// If the first request fails, it stores nothing, and the second one runs on its own.
			for (let first = inFlight.get(name); first; first = inFlight.get(name)) await first.catch(() => {});
			const response = runOnce(request, submit);
			inFlight.set(name, response);
			try {
				return await response;
			} finally {
				inFlight.delete(name);
			}
		},
		/** Notes a key whose request had success, although nothing was stored of it. @throws UniqueViolation if it is in use */
		async note({ since, ...key }: NewIdempotencyKey, submissionId: number): Promise<void> {
			const row = { ...key, submissionId };
			const target = [idempotencyKeys.formId, idempotencyKeys.key];
			const setWhere = lte(idempotencyKeys.createdAt, since);
			const [noted] = await storage.batch((tx) => [
				tx.insert(idempotencyKeys).values(row).onConflictDoUpdate({ target, set: row, setWhere }).returning(),
			]);
			if (noted.length === 0) throw new UniqueViolation('The idempotency key is in use.');
		},
		/**
		 * Deletes keys older than a day, in chunks so that other writes can go in between.
		 * @param mayGoOn Called between chunks; it may wait.
		 */
		async expire(pause: Pause): Promise<void> {
			const expired = lt(idempotencyKeys.createdAt, expiredUntil());
			// Keys from before the clock was set back: they expire a day from now.
			const inFuture = gt(idempotencyKeys.createdAt, now() + LIFETIME_MS);
			await storage.batch((tx) => [tx.update(idempotencyKeys).set({ createdAt: now() }).where(inFuture)]);
			const { formId, key } = idempotencyKeys;
			await inChunks(async () => {
				const [deleted] = await storage.batch((tx) => {
					const chunk = tx.select({ formId, key }).from(idempotencyKeys).where(expired).limit(EXPIRE_AT_ONCE);
					return [tx.delete(idempotencyKeys).where(sql`(${formId}, ${key}) in ${chunk}`).returning({ key })];
				});
				return deleted.length === EXPIRE_AT_ONCE;
			}, pause);
		},
	};
}

/** The request's key, `undefined` without one. @throws AppError VALIDATION_ERROR */
export function idempotencyKeyOf(headers: Headers): string | undefined {
	const key = headers.get('idempotency-key');
	if (key === null) return undefined;
	if (KEY.test(key)) return key;
	throw invalidField(
		'Idempotency-Key',
		'INVALID_VALUE',
		'Idempotency-Key must be 1 to 255 printable ASCII characters.',
	);
}

/**
 * SHA-256 of the parsed content, which identifies a repeated request. Not of the bytes, because a multipart body gets
 * another boundary each time.
 */
export function hashContent({ data, special, files }: Content): string {
	const hasher = new Bun.CryptoHasher('sha256').update(`${data}\n${JSON.stringify(special)}`);
	if (files) hasher.update(`\n${JSON.stringify(files.identity())}`);
	return hasher.digest('hex');
}
