/** Forms: made, read, changed, deleted, and found by their slug when somebody posts. */

import { and, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Captcha } from '../captchas.ts';
import { encodeId } from '../ids.ts';
import { lazy } from '../lazy.ts';
import { FormGone, UniqueViolation } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { Counts, NewDelivery } from '../storage/submission.ts';
import { apiKeys, deliveries, type FormRow, formerSlugs as formerTable, forms, type Mode } from '../storage/tables.ts';
import { checkFormSettings } from './check-settings.ts';
import { createFormerSlugs, slugTaken } from './former-slugs.ts';
import type { CreateForm, Form, UpdateForm } from './schema.ts';
import { pickSettings } from './settings.ts';
import { slugFromName } from './slug.ts';

const SWEEP_CHUNK = 250;

/** What is told when a form gets other notification addresses. */
export interface AddressNotices {
	/** The rows to store with the change. */
	planAddressNotice(former: FormRow): NewDelivery[];
	/** To be called once they are on disk. */
	wake(rows: readonly NewDelivery[]): void;
}

export interface FormsOptions {
	captchas: ReadonlySet<Captcha>;
	notices?: AddressNotices;
	now?: () => number;
}

/** What lets content out, or leads it elsewhere; see `keys/permissions.ts`. */
type Disclosure = 'notificationEmail' | 'formerSlug';
type MayLetOut = (disclosure: Disclosure) => void;

/** What a form has beside its row. */
interface Beside {
	former: string[];
	counts: Counts;
}

const NO_COUNTS: Counts = { total: 0, unread: 0, starred: 0, spam: 0 };
const NO_NOTICES: AddressNotices = { planAddressNotice: () => [], wake: () => {} };

export type Forms = ReturnType<typeof createForms>;

export function createForms(storage: Storage, options: FormsOptions) {
	const { captchas, notices = NO_NOTICES, now = Date.now } = options;
	const bySlug = new Map<string, FormRow>();
	const formerSlugs = createFormerSlugs(storage, now);
	const toForm = (form: FormRow, { former = [], counts = NO_COUNTS }: Partial<Beside> = {}) =>
		toResponse(form, { former, counts, createdAt: storage.clock.timeline().isoOf(form.id) });
	async function readForm(form: FormRow): Promise<Form> {
		const counts = await storage.submissions.counts([form.id]);
		return toForm(form, { former: await formerSlugs.of(form.id), counts: counts.get(form.id) });
	}
	let cacheVersion = -1;
	let removed = () => {};
	const row = storage.findForm;
	const select = () => storage.db.select().from(forms);
	const selectBySlug = lazy(() => {
		const asked = sql.placeholder('slug');
		const former = storage.db.select({ id: formerTable.formId }).from(formerTable).where(eq(formerTable.slug, asked));
		const isMeant = or(eq(forms.slug, asked), inArray(forms.id, former));
		return select()
			.where(and(isMeant, isNull(forms.deletedAt)))
			.prepare();
	});

	async function readBySlug(slug: string): Promise<FormRow | undefined> {
		const asked = slug.toLowerCase();
		const [found] = await selectBySlug().execute({ slug: asked });
		// Only what exists is kept: strangers can ask for any number of slugs.
		if (found) bySlug.set(asked, found);
		return found;
	}

	return {
		/** The stored form with that public id. @throws AppError FORM_NOT_FOUND if there is none (in that mode) */
		row,
		/** Newest first. */
		async list(mode?: Mode): Promise<Form[]> {
			const rows = await select()
				.where(and(mode && eq(forms.mode, mode), isNull(forms.deletedAt)))
				.orderBy(desc(forms.id));
			const former = await formerSlugs.byForm();
			const counts = await storage.submissions.counts(rows.map(({ id }) => id));
			return rows.map((form) => toForm(form, { former: former.get(form.id), counts: counts.get(form.id) }));
		},
		async get(id: string, mode?: Mode): Promise<Form> {
			return readForm(await row(id, mode));
		},
		/**
		 * @param mayLetOut Refuses whoever may not do what the creation turns out to do.
		 * @throws AppError VALIDATION_ERROR, FORBIDDEN, SLUG_TAKEN
		 */
		async create(mode: Mode, input: CreateForm, mayLetOut?: MayLetOut): Promise<Form> {
			const settings = checkFormSettings(input, { captcha: captchas });
			const name = settings.name as string;
			const values = { ...settings, id: storage.nextId(), mode, name, slug: settings.slug ?? slugFromName(name) };
			if ((await formerSlugs.check(values.slug, { mode })).isTakenOver) mayLetOut?.('formerSlug');
			const [rows] = await refuseTakenSlug(
				storage.batch(
					(tx) => [tx.insert(forms).values(values).returning(), formerSlugs.take(tx, values.slug)] as const,
				),
				values.slug,
			);
			const made = rows[0] as FormRow;
			storage.events.publish({ type: 'change', formId: made.id });
			return toForm(made);
		},
		/**
		 * Changes what `input` holds; `null` clears an optional setting.
		 * @param mayLetOut Refuses whoever may not do what the change turns out to do.
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, FORBIDDEN, SLUG_TAKEN
		 */
		async update(
			id: string,
			{ mode, input, mayLetOut }: { mode?: Mode; input: UpdateForm; mayLetOut?: MayLetOut },
		): Promise<Form> {
			const before = await row(id, mode);
			// What is set already may stay, also when the server lost the secret it needs.
			const settings = checkFormSettings(input, { captcha: new Set([...captchas, before.captcha]) });
			if (Object.keys(settings).length === 0) return readForm(before);
			const { notificationEmail = before.notificationEmail } = settings;
			const hasOtherAddress = notificationEmail !== before.notificationEmail;
			if (hasOtherAddress) mayLetOut?.('notificationEmail');
			const told = hasOtherAddress ? notices.planAddressNotice(before) : [];
			const { slug = before.slug } = settings;
			if ((await formerSlugs.check(slug, before)).isTakenOver) mayLetOut?.('formerSlug');
			const [, rows] = await refuseTakenSlug(
				storage.batch(
					(tx) =>
						[
							formerSlugs.keep(tx, before.id, slug),
							tx
								.update(forms)
								.set(settings)
								.where(and(eq(forms.id, before.id), isNull(forms.deletedAt)))
								.returning(),
							formerSlugs.take(tx, slug),
							...told.map((notice) => tx.insert(deliveries).values(notice)),
						] as const,
				),
				slug,
			);
			const after = rows[0];
			if (!after) throw new FormGone();
			storage.events.publish({ type: 'change', formId: after.id });
			notices.wake(told);
			return readForm(after);
		},
		/**
		 * Deletes a form for good: from the commit on, form, submissions, waiting deliveries and form-level keys are out
		 * of reach. The rows themselves go with {@link sweep}.
		 * @throws AppError FORM_NOT_FOUND, also for a second time
		 */
		async remove(id: string, mode?: Mode): Promise<void> {
			const { id: formId } = await row(id, mode);
			const [, , deleted] = await storage.batch(
				(tx) =>
					[
						...formerSlugs.reserve(tx, formId),
						tx
							.update(forms)
							.set({ deletedAt: now(), slug: `deleted:${id}`, isActive: false })
							.where(and(eq(forms.id, formId), isNull(forms.deletedAt)))
							.returning({ id: forms.id }),
						tx.delete(apiKeys).where(eq(apiKeys.formId, formId)),
						// What is withheld goes nowhere: it may be as much as all submissions, and is swept with them.
						tx
							.delete(deliveries)
							.where(and(eq(deliveries.formId, formId), inArray(deliveries.state, ['waiting', 'sending']))),
					] as const,
			);
			if (deleted.length === 0) throw new FormGone();
			storage.events.publish({ type: 'change', formId });
			removed();
		},
		/** Names who is told after a form was deleted, because there is something to sweep. */
		onRemoved(listener: () => void): void {
			removed = listener;
		},
		/**
		 * Frees the slugs of forms that were deleted long ago, and removes the rows of deleted forms, a chunk at a time so
		 * that nobody has to wait for it. Safe to break off at any point and to begin again.
		 * @param mayGoOn Called between chunks; it may take its time.
		 */
		async sweep(mayGoOn: () => Promise<boolean>): Promise<void> {
			await storage.batch((tx) => [formerSlugs.expire(tx)]);
			const rows = await storage.db.select({ id: forms.id }).from(forms).where(isNotNull(forms.deletedAt));
			for (const { id } of rows) {
				while (await storage.submissions.sweep(id, SWEEP_CHUNK)) {
					if (!(await mayGoOn())) return;
				}
				await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, id))]);
			}
		},
		/** The form that a submission is for, by its slug or one that it had; `undefined` for an unknown or malformed slug. On the path of every submission. */
		findBySlug(slug: string): FormRow | Promise<FormRow | undefined> {
			const version = storage.settingsVersion();
			if (version !== cacheVersion) {
				bySlug.clear();
				cacheVersion = version;
			}
			return bySlug.get(slug) ?? readBySlug(slug);
		},
	};
}

async function refuseTakenSlug<T>(change: Promise<T>, slug: string): Promise<T> {
	try {
		return await change;
	} catch (error) {
		throw error instanceof UniqueViolation ? slugTaken(slug) : error;
	}
}

function toResponse(row: FormRow, { former, counts, createdAt }: Beside & { createdAt: string }): Form {
	const { name, slug, isActive, ...others } = pickSettings(row);
	return {
		id: encodeId(row.id),
		name,
		slug,
		formerSlugs: former,
		isActive,
		submissionCount: counts.total,
		createdAt,
		...others,
		mode: row.mode,
		unreadCount: counts.unread,
		starredCount: counts.starred,
		spamCount: counts.spam,
	};
}
