/** Creates, reads, changes and deletes forms. */

import { and, desc, eq, getTableColumns, inArray, isNull, sql } from 'drizzle-orm';
import type { Captcha } from '../form-values/captchas.ts';
import { addressesOf } from '../form-values/notification-rules.ts';
import { decodeId, encodeId, rowId } from '../ids.ts';
import { recordAction } from '../storage/audit/action.ts';
import { type Changes, changesBetween, clipped, SECRET } from '../storage/audit/changes.ts';
import type { Db, Storage } from '../storage/contract.ts';
import { FormGone, UniqueViolation } from '../storage/errors.ts';
import { type Counts, mapOtherCounts, toCounts } from '../storage/filters.ts';
import { apiKeys, keyForms } from '../storage/session-tables.ts';
import type { NewDelivery } from '../storage/submission.ts';
import { deliveries, type FormRow, forms, type Mode } from '../storage/tables.ts';
import { ChangedMeanwhile, untilUnchanged } from '../storage/until-unchanged.ts';
import { pickNames } from '../text/map-names.ts';
import { checkFormSettings, shownSettings } from './check-settings.ts';
import { createFormerSlugs, slugTaken } from './former-slugs.ts';
import { type NextDeletion, nextDeletion, nextDeletions } from './next-deletion.ts';
import { checkOpening } from './opening.ts';
import type { CreateForm, Form, UpdateForm } from './schema.ts';
import {
	BLANK_SETTINGS,
	type FormSettings,
	pickSettings,
	SETTING_NAMES,
	type SettingName,
	TELLING_SETTINGS,
} from './settings.ts';
import { isFromName, slugFromName } from './slug.ts';
import { revealsValues, whenDue } from './unique-values.ts';
import { checkVisitorMails } from './visitor-mails.ts';

/** Mails about a change of a form's notification addresses. */
interface AddressNotices {
	/** The rows to store with the change. */
	planAddressNotice(former: FormRow): NewDelivery[];
	/** Call this once the rows are on disk. */
	wake(rows: readonly NewDelivery[]): void;
}

interface FormsOptions {
	captchas: () => ReadonlySet<Captcha>;
	/** The largest that a form may allow; unbounded by default. */
	maxFileBytes?: number;
	notices?: AddressNotices;
	now?: () => number;
}

/** Changes that disclose or divert content; see `keys/permissions.ts`. */
type Disclosure =
	| 'notificationEmail'
	| 'notification'
	| 'routes'
	| 'attachFiles'
	| 'formerSlug'
	| 'spam'
	| 'unique'
	| 'retention'
	| 'keptIn';
export type CheckDisclosure = (disclosure: Disclosure) => void;

/** Members of a response besides the row. */
interface FormDetails {
	former: string[];
	counts: Counts;
	fileBytes: number;
	next: NextDeletion | null;
}

const NO_COUNTS: Counts = toCounts();
const NO_NOTICES: AddressNotices = { planAddressNotice: () => [], wake: () => {} };

/** Columns that a form shows, without the counts, which the engine knows better. */
const SHOWN_COLUMNS = pickNames(getTableColumns(forms), ['id', 'mode', ...SETTING_NAMES, 'fileBytes']);
type ShownRow = Pick<FormRow, 'id' | 'mode' | SettingName>;

interface Update {
	mode?: Mode;
	input: UpdateForm;
	/** Throws if the caller may not make the disclosure. */
	checkDisclosure?: CheckDisclosure;
}

interface ComparedForm {
	form: Form;
	differs: SettingName[];
}

export type Forms = ReturnType<typeof createForms>;

export function createForms(storage: Storage, options: FormsOptions) {
	const { captchas, maxFileBytes = Number.MAX_SAFE_INTEGER, notices = NO_NOTICES, now = Date.now } = options;
	const formerSlugs = createFormerSlugs(storage, now);
	const toForm = (
		form: ShownRow,
		{ former = [], counts = NO_COUNTS, fileBytes = 0, next = null }: Partial<FormDetails> = {},
	) => toResponse(form, { former, counts, fileBytes, next, createdAt: storage.clock.timeline().isoOf(form.id) });
	async function readForm(form: ShownRow): Promise<Form> {
		const counts = await storage.submissions.counts([form.id]);
		const fileBytes = await storage.submissions.fileBytes(form.id);
		const former = await formerSlugs.of(form.id);
		return toForm(form, { former, counts: counts.get(form.id), fileBytes, next: await nextDeletion(storage, form) });
	}
	const select = () => storage.db.select(SHOWN_COLUMNS).from(forms);
	/** The settings of an update. The present captcha may stay, even if the server has lost its secret. */
	const checkUpdate = (input: UpdateForm, before: FormSettings) =>
		checkFormSettings(input, {
			allowed: { captchas: new Set([...captchas(), before.captcha]), maxFileBytes },
			before,
		});

	/** @throws ChangedMeanwhile if what the change was held against is not so any more; then nothing was changed. */
	async function updateOnce(id: string, { mode, input, checkDisclosure }: Update): Promise<Form> {
		const before = await storage.findForm(id, mode);
		const settings = checkUpdate(input, before);
		const { name = before.name } = settings;
		if (settings.slug === '') settings.slug = isFromName(before.slug, name) ? before.slug : slugFromName(name);
		if (Object.keys(settings).length === 0) return readForm(before);
		checkOpening({ ...before, ...settings });
		checkVisitorMails({ ...before, ...settings }, before);
		const hasOtherAddress = !Bun.deepEquals(addressesOf(before), addressesOf({ ...before, ...settings }));
		if (checkDisclosure) checkDisclosures(before, settings, checkDisclosure);
		const noticeRows = hasOtherAddress ? notices.planAddressNotice(before) : [];
		const { slug = before.slug } = settings;
		if ((await formerSlugs.check(slug, before)).isTakenOver) checkDisclosure?.('formerSlug');
		const [, , rows] = await rejectTakenSlug(
			storage.batch(
				(tx) => [
					// Holds the row until the change, so that the audit log has what it was before it.
					tx.update(forms).set({ deletedAt: null }).where(present(before.id)).returning(),
					formerSlugs.keep(tx, before.id, slug),
					tx.update(forms).set(settings).where(present(before.id)).returning(),
					formerSlugs.take(tx, slug),
					...noticeRows.map((notice) => tx.insert(deliveries).values(notice)),
					...whenDue(tx, before, settings),
				],
				([[held], , [after]]) => (held && after ? recordedUpdate({ before, held, after }) : null),
			),
			slug,
		);
		const after = rows[0];
		if (!after) throw new FormGone();
		storage.events.publish({ type: 'change', formId: after.id });
		if (settings.fields) storage.events.publish({ type: 'sweep' });
		notices.wake(noticeRows);
		return readForm(after);
	}

	return {
		/** Newest first. */
		async list(mode?: Mode): Promise<Form[]> {
			const rows = await select()
				.where(and(mode && eq(forms.mode, mode), isNull(forms.deletedAt)))
				.orderBy(desc(forms.id));
			const former = await formerSlugs.byForm();
			const counts = await storage.submissions.counts(rows.map(({ id }) => id));
			const next = await nextDeletions(storage, rows);
			return rows.map((form) => {
				const { id, fileBytes } = form;
				return toForm(form, { former: former.get(id), counts: counts.get(id), fileBytes, next: next.get(id) });
			});
		},
		/** Returns the names of those that exist, oldest first. */
		namesOf: (ids: readonly string[]) => readNames(storage, ids),
		async get(id: string, mode?: Mode): Promise<Form> {
			return readForm(await storage.findForm(id, mode));
		},
		/**
		 * The form with this slug, with the settings in `input` that it does not have; `undefined` if there is none.
		 * @throws AppError VALIDATION_ERROR
		 */
		async compare(slug: string, mode: Mode, input: UpdateForm): Promise<ComparedForm | undefined> {
			const [held] = await select().where(and(eq(forms.slug, slug), eq(forms.mode, mode), isNull(forms.deletedAt)));
			if (!held) return undefined;
			const settings = checkUpdate(input, held);
			// As clients see both: a default may be stored in two ways.
			const [form, wanted] = [await readForm(held), toForm({ ...held, ...settings })];
			return { form, differs: differences(Object.keys(settings) as SettingName[], form, wanted) };
		},
		recordFound: (form: Pick<Form, 'id'>) => recordFound(storage, form),
		/**
		 * @param checkDisclosure Throws if the caller may not make the disclosure.
		 * @throws AppError VALIDATION_ERROR, FORBIDDEN, SLUG_TAKEN
		 */
		async create(mode: Mode, input: CreateForm, checkDisclosure?: CheckDisclosure): Promise<Form> {
			const settings = checkFormSettings(input, {
				allowed: { captchas: captchas(), maxFileBytes },
				before: BLANK_SETTINGS,
			});
			checkOpening(settings);
			checkVisitorMails(settings);
			const name = settings.name as string;
			const values = { ...settings, id: storage.nextId(), mode, name, slug: settings.slug || slugFromName(name) };
			if ((await formerSlugs.check(values.slug, { mode })).isTakenOver) checkDisclosure?.('formerSlug');
			for (const name of ['retention', 'keptIn'] as const) if (settings[name]) checkDisclosure?.(name);
			const [rows] = await rejectTakenSlug(
				storage.batch(
					(tx) => [tx.insert(forms).values(values).returning(), formerSlugs.take(tx, values.slug)],
					() => ({
						...recordedOf(values),
						changes: recordedChanges(undefined, values, ['slug', ...Object.keys(settings)]),
					}),
				),
				values.slug,
			);
			const made = rows[0] as FormRow;
			storage.events.publish({ type: 'change', formId: made.id });
			return toForm(made);
		},
		/**
		 * Changes the settings that `input` contains; `null` stands for the default.
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, FORBIDDEN, SLUG_TAKEN
		 */
		update: (id: string, update: Update): Promise<Form> => untilUnchanged(() => updateOnce(id, update)),
		/**
		 * Deletes a form for good: once committed, the form, its submissions, waiting deliveries and the
		 * form-level keys that are for it alone are inaccessible; keys of several forms keep the others. `sweepForms` removes the rows.
		 * @throws AppError FORM_NOT_FOUND, also for a form that is deleted already
		 */
		async remove(id: string, mode?: Mode): Promise<void> {
			const form = await storage.findForm(id, mode);
			const formId = form.id;
			const changes = { deletedAt: now(), slug: `deleted:${id}`, isActive: false };
			// Withheld deliveries are never sent. There may be as many as submissions, so the sweep removes them.
			const waiting = and(eq(deliveries.formId, formId), inArray(deliveries.state, ['waiting', 'sending']));
			const remove = (tx: Db) =>
				[
					...formerSlugs.reserve(tx, formId),
					tx.update(forms).set(changes).where(present(formId)).returning({ id: forms.id }),
					tx.delete(keyForms).where(eq(keyForms.formId, formId)),
					tx
						.update(apiKeys)
						.set({ formId: sql`(select min(form_id) from key_forms where key_id = ${apiKeys.id})` })
						.where(
							and(eq(apiKeys.formId, formId), inArray(apiKeys.id, tx.select({ id: keyForms.keyId }).from(keyForms))),
						),
					tx.delete(apiKeys).where(eq(apiKeys.formId, formId)),
					tx.delete(deliveries).where(waiting),
				] as const;
			const [, , deleted] = await storage.batch(remove, ([, , rows]) =>
				rows.length > 0 ? { ...recordedOf(form), facts: { name: clipped(form.name), slug: form.slug } } : null,
			);
			if (deleted.length === 0) throw new FormGone();
			storage.events.publish({ type: 'change', formId });
			storage.events.publish({ type: 'sweep' });
		},
	};
}

/** @param rows The form as the change was held against it, as it was at the change, and after it. @throws ChangedMeanwhile */
function recordedUpdate({ before, held, after }: Record<'before' | 'held' | 'after', FormRow>) {
	if (!Bun.deepEquals(pickSettings(held), pickSettings(before))) throw new ChangedMeanwhile();
	return { ...recordedOf(after), changes: recordedChanges(held, after, SETTING_NAMES) };
}

function differences(names: readonly SettingName[], form: Form, wanted: Form): SettingName[] {
	return names.filter((name) => !Bun.deepEquals(form[name], wanted[name]));
}

/** Records the action in which a form was asked for that is there already. */
function recordFound(storage: Storage, { id }: Pick<Form, 'id'>): Promise<void> {
	return recordAction(storage, { object: `form:${id}`, formId: decodeId(id) });
}

async function readNames({ db }: Storage, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
	const isOne = inArray(forms.id, ids.map(rowId));
	const rows = await db
		.select()
		.from(forms)
		.where(and(isOne, isNull(forms.deletedAt)))
		.orderBy(forms.id);
	return rows.map(({ id, name }) => ({ id: encodeId(id), name }));
}

/** @throws what `checkDisclosure` throws, for changes that disclose, divert or delete content */
function checkDisclosures(before: FormRow, after: Partial<FormSettings>, checkDisclosure: CheckDisclosure): void {
	const { spam = before.spam, attachFiles, fields = before.fields } = after;
	for (const name of ['notificationEmail', 'notification', 'routes', 'retention', 'keptIn'] as const) {
		const { [name]: value = before[name] } = after;
		if (!Bun.deepEquals(value, before[name])) checkDisclosure(name);
	}
	if (!Bun.deepEquals(spam, before.spam)) checkDisclosure('spam');
	if (revealsValues(before.fields, fields)) checkDisclosure('unique');
	if (attachFiles && !before.attachFiles) checkDisclosure('attachFiles');
}

/** The form that an entry of the audit log is about. */
function recordedOf({ id, mode }: Pick<FormRow, 'id' | 'mode'>) {
	return { mode, formId: id, object: `form:${encodeId(id)}` };
}

/** A change of settings as the audit log has it. */
function recordedChanges(...change: Parameters<typeof changesBetween>): Changes {
	const changes = changesBetween(...change);
	for (const name of TELLING_SETTINGS) if (changes[name]) changes[name] = SECRET;
	return changes;
}

/** The form with this id, unless it was deleted. */
function present(formId: number) {
	return and(eq(forms.id, formId), isNull(forms.deletedAt));
}

async function rejectTakenSlug<T>(change: Promise<T>, slug: string): Promise<T> {
	try {
		return await change;
	} catch (error) {
		throw error instanceof UniqueViolation ? slugTaken(slug) : error;
	}
}

function toResponse(
	row: ShownRow,
	{ former, counts, fileBytes, next, createdAt }: FormDetails & { createdAt: string },
): Form {
	const { id, mode, name, slug, isActive } = row;
	const first = {
		id: encodeId(id),
		name,
		slug,
		formerSlugs: former,
		isActive,
		submissionCount: counts.total,
		createdAt,
	};
	return Object.assign(shownSettings(row, first), {
		mode,
		...mapOtherCounts((counter) => counts[counter]),
		nextDeletion: next,
		fileBytes,
	});
}
