/** The first answer again for a submission that is sent again under the same Idempotency-Key. */

import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import { AppError, invalidField } from '../errors.ts';
import { lazy } from '../lazy.ts';
import { UniqueViolation } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import { idempotencyKeys } from '../storage/tables.ts';
import type { Content } from './content.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;
const EXPIRE_AT_ONCE = 500;
const ROWID = sql`rowid`;
const KEY = /^[\x20-\x7e]{1,255}$/;

/** Where the first answer led; `null` is the thank-you page. */
export interface Answered {
	next: string | null;
}

interface Keyed {
	formId: number;
	key: string;
	bodyHash: string;
}

/** Stores the submission with its key, unless that is in use since then. */
type Submit = (since: number) => Promise<Answered>;

export type Idempotency = ReturnType<typeof createIdempotency>;

export function createIdempotency(storage: Storage, now: () => number = Date.now) {
	const underWay = new Map<string, Promise<Answered>>();
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

	/** The latest moment that is too old; while the clock may be wrong, nothing is. */
	const oldest = () => (storage.clock.isSettled() ? now() - LIFETIME_MS : 0);

	async function answer({ formId, key, bodyHash }: Keyed, submit: Submit): Promise<Answered> {
		for (;;) {
			const since = oldest();
			const [known] = await select().execute({ formId, key, since });
			if (known?.bodyHash === bodyHash) return { next: known.next };
			if (known) throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with a different body.');
			try {
				return await submit(since);
			} catch (error) {
				// Another server stored the key since the look.
				if (!(error instanceof UniqueViolation)) throw error;
			}
		}
	}

	return {
		/**
		 * Runs `submit` unless the form already answered this key; a second request waits for the first.
		 * @throws AppError IDEMPOTENCY_KEY_REUSED if the key came with another body before
		 */
		async once(request: Keyed, submit: Submit): Promise<Answered> {
			const { formId, key } = request;
			const name = `${formId}:${key}`;
			// A first request that fails leaves nothing behind, so the second one then tries for itself.
			for (let first = underWay.get(name); first; first = underWay.get(name)) await first.catch(() => {});
			const answering = answer(request, submit);
			underWay.set(name, answering);
			try {
				return await answering;
			} finally {
				underWay.delete(name);
			}
		},
		/**
		 * Forgets what is older than a day, a chunk at a time so that nobody has to wait for it.
		 * @param mayGoOn Called between chunks; it may take its time.
		 */
		async expire(mayGoOn: () => Promise<boolean>): Promise<void> {
			const isOld = lt(idempotencyKeys.createdAt, oldest());
			// Made by a clock that was set back since: they are kept for a day from now.
			const isAhead = gt(idempotencyKeys.createdAt, now() + LIFETIME_MS);
			await storage.batch((tx) => [tx.update(idempotencyKeys).set({ createdAt: now() }).where(isAhead)]);
			for (;;) {
				const [deleted] = await storage.batch((tx) => {
					const oldest = tx.select({ rowid: ROWID }).from(idempotencyKeys).where(isOld).limit(EXPIRE_AT_ONCE);
					return [tx.delete(idempotencyKeys).where(inArray(ROWID, oldest)).returning({ rowid: ROWID })];
				});
				if (deleted.length < EXPIRE_AT_ONCE || !(await mayGoOn())) return;
			}
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
 * SHA-256 of what makes two requests the same: their content. Not the bytes, because a multipart body that is sent
 * again gets another boundary.
 */
export function hashContent({ data, special }: Content): string {
	return new Bun.CryptoHasher('sha256').update(`${data}\n${JSON.stringify(special)}`).digest('hex');
}
