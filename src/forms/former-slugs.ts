/** Former slugs: those of a renamed form still lead to it, those of a deleted form stay reserved for a while. */

import { and, eq, inArray, isNotNull, isNull, ne, notBetween, sql } from 'drizzle-orm';
import { AppError } from '../errors.ts';
import type { Clock, Db, Storage } from '../storage/contract.ts';
import { type FormRow, formerSlugs, forms, type Mode } from '../storage/tables.ts';
import { DAY_MS } from '../tasks/durations.ts';

const RESERVED_MS = 30 * DAY_MS;

/** The form to receive a slug; a new one has no id. */
interface Taker {
	id?: number;
	mode: Mode;
}

export function createFormerSlugs({ db }: Pick<Storage, 'db'>, now: () => number) {
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
		/** The former slugs of a form, oldest first. */
		async of(formId: number): Promise<string[]> {
			const rows = await db
				.select({ slug: formerSlugs.slug })
				.from(formerSlugs)
				.where(eq(formerSlugs.formId, formId))
				.orderBy(inOrder);
			return rows.map(({ slug }) => slug);
		},
		async byForm(): Promise<Map<number, string[]>> {
			const rows = await db.select().from(formerSlugs).where(isNotNull(formerSlugs.formId)).orderBy(inOrder);
			const grouped = Map.groupBy(rows, ({ formId }) => formId as number);
			return new Map([...grouped].map(([formId, those]) => [formId, those.map(({ slug }) => slug)]));
		},
		/**
		 * Checks that a form may have a slug.
		 * @returns whether the slug is a former one of another form, which loses the submissions still posted to it
		 * @throws AppError SLUG_TAKEN
		 */
		async check(slug: string, taker: Taker): Promise<{ isTakenOver: boolean }> {
			const [owner, found] = [await own(slug), await former(slug)];
			if (owner && owner.id !== taker.id) throw slugTaken(slug);
			if (!found || (found.formId !== null && found.formId === taker.id)) return { isTakenOver: false };
			if (found.formId === null) {
				const waitMs = (found.freeAt ?? 0) - now();
				if (found.freeAt !== null && waitMs > 0 && waitMs <= RESERVED_MS) throw slugReserved(slug, found.freeAt);
				return { isTakenOver: false };
			}
			// Forms of the other mode are not disclosed.
			if (found.mode !== taker.mode) throw slugTaken(slug);
			return { isTakenOver: true };
		},
		/** For the transaction that changes a form's slug, before the change: keeps the present slug as a former one. */
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
		/** For the same transaction, after the change: the new slug is no longer a former one of any form. */
		take: (tx: Db, slug: string) =>
			tx
				.delete(formerSlugs)
				.where(inArray(formerSlugs.slug, tx.select({ slug: forms.slug }).from(forms).where(eq(forms.slug, slug)))),
		/** For the transaction that deletes a form, before the deletion. */
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
	};
}

/** Deletes reservations that have ended, or that lie too far ahead because the clock was set back. */
export function expireReservations(tx: Db, { isSettled }: Pick<Clock, 'isSettled'>, at: number) {
	const [from, until] = isSettled() ? [at + 1, at + RESERVED_MS] : [0, Number.MAX_SAFE_INTEGER];
	return tx.delete(formerSlugs).where(notBetween(formerSlugs.freeAt, from, until));
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
