/** Judges a submission, and stores it with its deliveries. */

import type { Outbox } from '../delivery/outbox.ts';
import type { AddressKeys } from '../delivery/visitor/address-keys.ts';
import { droppedOf } from '../form-values/dropped-files.ts';
import { addressIn, type ConfirmationMail } from '../form-values/visitor-mails.ts';
import type { UniqueValue } from '../forms/unique-values.ts';
import { languageFor } from '../languages/languages.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Judge } from '../spam/judge.ts';
import { type SpamReason, verdictOf } from '../spam/verdict.ts';
import type { Storage } from '../storage/contract.ts';
import { ValueTaken } from '../storage/errors.ts';
import type { NewIdempotencyKey, NewSubmission } from '../storage/submission.ts';
import type { FormRow } from '../storage/tables.ts';
import { withoutFileNames } from '../text/json-string.ts';
import { type Content, dropSpecialFiles } from './body/content.ts';
import { emptySubmission, leaveOutRefused } from './body/refused-files.ts';
import type { SpecialFields } from './body/special-fields.ts';
import type { createCaptchaCheck } from './checks/captcha.ts';
import { checkAddress, checkRules } from './checks/field-rules.ts';
import type { Idempotency } from './checks/idempotency.ts';
import { createUniqueCheck, FirstKept } from './checks/unique.ts';
import { contextOf } from './context.ts';
import type { Submit } from './intake.ts';

export interface StoreOptions {
	storage: Storage;
	/** Plans the deliveries of a submission, stored with it; a promise only if it must read, because every `await` costs. */
	outbox: Pick<Outbox, 'plan' | 'wake'>;
	judge: Judge;
	/** Reads what judging needs; `undefined` if that is there already, as usual. To be called again until it is. */
	prepareJudge(form: FormRow): Promise<void> | undefined;
	checkCaptcha: ReturnType<typeof createCaptchaCheck>;
	/** Stands in for addresses that are to be confirmed. */
	addressKeys: Pick<AddressKeys, 'keyOf'>;
	metrics: Pick<Metrics, 'stored' | 'judged'>;
	/** That of visitors who ask for none that there is. */
	language: string;
	now: () => number;
	/** Notes the key of a submission that is not stored. */
	noteKey: Idempotency['note'];
}

/** An idempotency key to store with the submission. */
type Key = Omit<NewIdempotencyKey, 'formId' | 'createdAt'>;

/** Values of the row besides what was sent. */
interface Beside {
	/** The captcha's objection to it. */
	captcha: SpamReason | null;
	key: Key | undefined;
}

interface Checked {
	/** Values that no other submission may have. */
	values: UniqueValue[];
	/** True if another one is kept in its place. */
	isSpare: boolean;
}

const UNCHECKED: Checked = { values: [], isSpare: false };

export function createStore(options: StoreOptions) {
	const { storage, outbox, judge, prepareJudge, checkCaptcha, addressKeys, metrics, language: fallback, now } = options;
	const { noteKey } = options;
	const unique = createUniqueCheck(storage);

	/** Judges a submission, and makes its row. @throws AppError EMPTY_SUBMISSION */
	function compose(submit: Submit, content: Content, { captcha, key }: Beside): NewSubmission {
		const { special, fields, data, dropped, droppedFiles, files } = content;
		if (fields.length === 0) throw emptySubmission(content.refused);
		const { form, clientAddress, hasKey, isTest } = submit;
		const { honeypotFilled, replyTo, stamp } = special;
		const isTrusted = isTest && !honeypotFilled;
		const reasons = isTrusted
			? []
			: judge({
					form,
					data: files ? withoutFileNames(data, files.named()) : data,
					replyTo,
					stamp,
					clientAddress,
					hasKey,
					honeypotFilled,
					captcha,
				});
		metrics.judged(reasons);
		const submission: NewSubmission = {
			formId: form.id,
			data,
			names: fields.map(({ name }) => name),
			spamReason: verdictOf(reasons, form.spam.threshold),
			subject: special.subject ?? null,
			replyTo: replyTo ?? null,
			spamReasons: reasons.length > 0 ? JSON.stringify(reasons) : null,
			meta: form.context || dropped || droppedFiles || isTest ? metaOf(submit, content) : null,
			// Known from the start, because an object that grows takes more.
			deliveries: undefined,
			hasDecoy: honeypotFilled,
		};
		if (key) submission.idempotencyKey = { ...key, formId: form.id, createdAt: now() };
		return submission;
	}

	/** Stores a submission with its deliveries. @throws ValueTaken if another one has one of its unique values */
	async function append({ form, request: { headers } }: Submit, submission: NewSubmission): Promise<number> {
		const writesToVisitors = form.autoresponder !== null || form.confirm !== null;
		const language = writesToVisitors ? languageFor(form, { headers, fallback }) : undefined;
		const deliveries = await outbox.plan({ form, submission, language });
		submission.deliveries = deliveries;
		const began = performance.now();
		const id = await storage.submissions.append(submission);
		metrics.stored(submission.spamReason, performance.now() - began);
		if (deliveries.length > 0) outbox.wake(deliveries);
		return id;
	}

	/** A filled honeypot skips the rules: a robot learns nothing from them. */
	async function checkFields({ form, isTest }: Submit, content: Content): Promise<Checked> {
		const { honeypotFilled } = content.special;
		if (!honeypotFilled && form.fields !== null) await checkRules(form, content);
		if (!honeypotFilled) checkAddress(form, content);
		const values = isTest ? [] : await unique.valuesOf(form, content);
		const isSpare = !honeypotFilled && (await unique.isSpare(form.id, values, content));
		return { values, isSpare };
	}

	/** Has a submission wait until its address is confirmed, unless it is spam. */
	async function keepPending({ field }: ConfirmationMail, submission: NewSubmission): Promise<void> {
		const address = submission.spamReason === null ? addressIn(submission.data, field) : undefined;
		if (address !== undefined) submission.addressKey = await addressKeys.keyOf(address);
	}

	/** Returns the captcha's objection, if there is one. @throws AppError CAPTCHA_REQUIRED, CAPTCHA_FAILED */
	async function judgeCaptcha({ form, hasKey }: Submit, special: SpecialFields): Promise<SpamReason | null> {
		if (special.honeypotFilled || hasKey) return null;
		// A token is valid only once: do not use it up for a submission that cannot be stored.
		const error = storage.findings.rejection('submission');
		if (error) throw error;
		await prepareJudge(form);
		return checkCaptcha({ form, tokens: special.captchaTokens });
	}

	async function checkAndStore(submit: Submit, content: Content, key?: Key): Promise<number> {
		const { form } = submit;
		const { special, files } = content;
		leaveOutRefused(content);
		if (files) await dropSpecialFiles(files, form);
		const isChecked = form.fields !== null || form.confirm !== null;
		const { values, isSpare } = isChecked ? await checkFields(submit, content) : UNCHECKED;
		const captcha = form.captcha === null ? null : await judgeCaptcha(submit, special);
		// Not before the captcha: who does not pass it would learn which values there are.
		if (isSpare) throw new FirstKept();
		const stored = files && (await files.finish(!special.honeypotFilled));
		leaveOutRefused(content);
		for (let preparing = prepareJudge(form); preparing; preparing = prepareJudge(form)) await preparing;
		const submission = compose(submit, content, { captcha, key });
		if (form.confirm !== null) await keepPending(form.confirm, submission);
		// Their texts are in `data` once more, and would be kept until the commit.
		content.fields = [];
		if (stored) submission.files = stored;
		if (values.length > 0) submission.uniqueHashes = values.map(({ hash }) => hash);
		const whenTaken = async () => {
			if (await unique.isSpare(form.id, values, content)) throw new FirstKept();
		};
		const appendIt = () => append(submit, submission);
		return untilFree(() => (files ? files.keepWith(appendIt) : appendIt()), whenTaken);
	}

	/** Checks a submission and stores it; resolves with the id to tell. */
	return async function store(submit: Submit, content: Content, key?: Key): Promise<number> {
		try {
			return await checkAndStore(submit, content, key);
		} catch (error) {
			if (!(error instanceof FirstKept)) throw error;
			const id = storage.nextId();
			if (key) await noteKey({ ...key, formId: submit.form.id, createdAt: now() }, id);
			return id;
		}
	};
}

/** @param whenTaken Throws if another submission still has one of the unique values. */
async function untilFree<T>(append: () => Promise<T>, whenTaken: () => Promise<void>): Promise<T> {
	for (;;) {
		try {
			return await append();
		} catch (error) {
			if (!(error instanceof ValueTaken)) throw error;
			await whenTaken();
		}
	}
}

/** Data kept apart from the fields, as JSON; `null` if there is none. */
function metaOf({ form, request: { headers }, clientAddress, isTest }: Submit, content: Content): string | null {
	const context = form.context && contextOf(form.context, { headers, clientAddress, page: content.special.page });
	const meta = { ...(isTest && { test: true }), ...context, ...droppedOf(content) };
	return Object.keys(meta).length > 0 ? JSON.stringify(meta) : null;
}
