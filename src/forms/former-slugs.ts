/** Slugs that are no form's own any more: a renamed form's still lead to it, a deleted form's are kept from others for a while. */

import { and, eq, inArray, isNotNull, isNull, ne, notBetween, sql } from 'drizzle-orm';
import { AppError } from '../errors.ts';
import type { Db, Storage } from '../storage/storage.ts';
import { type FormRow, formerSlugs, forms, type Mode } from '../storage/tables.ts';

const RESERVED_MS = 30 * 24 * 3_600_000;

export type FormerSlugs = ReturnType<typeof createFormerSlugs>;

/** A form that is to have a slug; without an id, a new one. */
interface Taker {
	id?: number;
	mode: Mode;
}

export function createFormerSlugs({ db, clock }: Storage, now: () => number) {
	const inOrder = sql`rowid`;

	async function own(slug: string): Promise<Pick<FormRow, 'id'> | undefined> {
		const [found] = await db.select({ id: forms.id }).from(forms).where(eq(forms.slug, slug));
		return found;
	}

	async function former(slug: string) {
		const [found] = await db
			.select({ formId: formerSlugs.formId, freeAt: formerSlugs.freeAt, mode: forms.mode })
			.from(formerSlugs)
			.leftJoin(forms, eq(forms.id, formerSlugs.formId))
			.where(eq(formerSlugs.slug, slug));
		return found;
	}

	return {
		/** Those that lead to a form, in the order in which it had them. */
		async of(formId: number): Promise<string[]> {
			const rows = await db
				.select({ slug: formerSlugs.slug })
				.from(formerSlugs)
				.where(eq(formerSlugs.formId, formId))
				.orderBy(inOrder);
			return rows.map(({ slug }) => slug);
		},
		/** The same of all forms. */
		async byForm(): Promise<Map<number, string[]>> {
			const rows = await db.select().from(formerSlugs).where(isNotNull(formerSlugs.formId)).orderBy(inOrder);
			const grouped = Map.groupBy(rows, ({ formId }) => formId as number);
			return new Map([...grouped].map(([formId, those]) => [formId, those.map(({ slug }) => slug)]));
		},
		/**
		 * What of a slug somebody else has stands in the way of a form that is to have it.
		 * @returns whether it is taken from another form, which has it no more, but gets what is still posted there
		 * @throws AppError SLUG_TAKEN
		 */
		async check(slug: string, taker: Taker): Promise<{ isTakenOver: boolean }> {
			const [owner, left] = [await own(slug), await former(slug)];
			if (owner && owner.id !== taker.id) throw slugTaken(slug);
			if (!left || (left.formId !== null && left.formId === taker.id)) return { isTakenOver: false };
			if (left.formId === null) {
				const waitMs = (left.freeAt ?? 0) - now();
				if (left.freeAt !== null && waitMs > 0 && waitMs <= RESERVED_MS) throw slugReserved(slug, left.freeAt);
				return { isTakenOver: false };
			}
			// No mode knows of the forms of the other.
			if (left.mode !== taker.mode) throw slugTaken(slug);
			return { isTakenOver: true };
		},
		/** For the transaction in which a form gets a slug, before it does: what it had stays with it. */
		keep: (tx: Db, formId: number, slug: string) =>
			tx
				.insert(formerSlugs)
				.select(
					tx
						.select({ slug: forms.slug, formId: forms.id, freeAt: sql<null>`null`.as('free_at') })
						.from(forms)
						.where(and(eq(forms.id, formId), ne(forms.slug, slug), isNull(forms.deletedAt))),
				)
				.onConflictDoUpdate({ target: formerSlugs.slug, set: { formId, freeAt: null } }),
		/** The same, after it did: what it has is no former one of any. */
		take: (tx: Db, slug: string) =>
			tx
				.delete(formerSlugs)
				.where(inArray(formerSlugs.slug, tx.select({ slug: forms.slug }).from(forms).where(eq(forms.slug, slug)))),
		/** For the transaction in which a form is deleted, before it is. */
		reserve(tx: Db, formId: number) {
			const freeAt = now() + RESERVED_MS;
			const own = tx
				.select({
					slug: forms.slug,
					formId: sql<null>`null`.as('form_id'),
					freeAt: sql<number>`${freeAt}`.as('free_at'),
				})
				.from(forms)
				.where(and(eq(forms.id, formId), isNull(forms.deletedAt)));
			const set = { formId: null, freeAt };
			return [
				tx.insert(formerSlugs).select(own).onConflictDoUpdate({ target: formerSlugs.slug, set }),
				tx.update(formerSlugs).set(set).where(eq(formerSlugs.formId, formId)),
			] as const;
		},
		/** Maintenance: forgets what is free again. What is reserved for longer was so by a clock that was set back since. */
		expire(tx: Db) {
			const [from, until] = clock.isSettled() ? [now() + 1, now() + RESERVED_MS] : [0, Number.MAX_SAFE_INTEGER];
			return tx.delete(formerSlugs).where(notBetween(formerSlugs.freeAt, from, until));
		},
	};
}

export function slugTaken(slug: string): AppError {
	return refusal(`The slug "${slug}" is taken by another form.`);
}

function slugReserved(slug: string, freeAt: number): AppError {
	const day = new Date(freeAt).toISOString().slice(0, 10);
	return refusal(
		`The slug "${slug}" was that of a form that was deleted: what is still posted there would come here. It is free after ${day}.`,
	);
}

function refusal(message: string): AppError {
	return new AppError('SLUG_TAKEN', message, { fields: [{ field: 'slug', code: 'SLUG_TAKEN', message }] });
}
