/** The whole story of a submission: from the bytes of a stranger to a row on disk and the place to lead them to. */

import type { ByteBudget } from '../byte-budget.ts';
import { AppError } from '../errors.ts';
import { checkOrigin } from '../forms/allowed-domains.ts';
import type { Forms } from '../forms/forms.ts';
import { networkOf } from '../http/client-address.ts';
import type { RateLimiter, RateState } from '../http/rate-limit.ts';
import { encodeId } from '../ids.ts';
import type { Storage } from '../storage/storage.ts';
import type { NewDelivery, NewSubmission } from '../storage/submission.ts';
import type { FormRow } from '../storage/tables.ts';
import type { Altcha, AltchaChallenge } from './altcha.ts';
import type { createCaptchaCheck } from './captcha.ts';
import { type Content, readContent } from './content.ts';
import { createIdempotency, hashContent, idempotencyKeyOf } from './idempotency.ts';
import { createMultipartWatch } from './multipart-watch.ts';
import { asBodyError, checkSize, createBodyHold, declaredSize, readSmallBody } from './read-body.ts';
import { type Media, mediaKind } from './read-fields.ts';
import { redirectTarget } from './redirect-target.ts';
import { honeypotVerdict } from './spam.ts';

/** What the large bodies of one network take of the budget at most; three of 1 MiB, of the eight that there is room for. */
const NETWORK_BYTES = 12 * 1024 * 1024;
/** What does not count: more than nearly every form sends. */
const FREE_BODY_BYTES = 16 * 1024;
/** For so many bodies at a time: what they take without being counted is no more than what one network may. */
const FREE_BODIES = 192;

export interface IntakeLimits {
	maxBody: number;
	maxMultipart: number;
	maxFields: number;
	maxFieldName: number;
	maxDepth: number;
}

/** What has to leave the house because of a submission: planned with it, stored with it, sent after the answer. */
export interface Outbox {
	plan(cause: { form: FormRow; submission: NewSubmission }): readonly NewDelivery[] | Promise<readonly NewDelivery[]>;
	wake(rows: readonly NewDelivery[]): void;
}

export interface IntakeOptions {
	storage: Storage;
	forms: Forms;
	/** For what is held of large bodies; beyond it they are asked to come back. */
	budget: ByteBudget;
	rate: RateLimiter;
	limits: IntakeLimits;
	strictRedirects: boolean;
	outbox: Outbox;
	checkCaptcha: ReturnType<typeof createCaptchaCheck>;
	altcha: Pick<Altcha, 'challenge'>;
	now?: () => number;
}

export interface Submit {
	form: FormRow;
	request: Request;
	clientAddress: string;
}

export type Intake = ReturnType<typeof createIntake>;

export function createIntake(options: IntakeOptions) {
	const {
		storage,
		forms,
		budget,
		rate,
		limits,
		strictRedirects,
		outbox,
		checkCaptcha,
		altcha,
		now = Date.now,
	} = options;
	const idempotency = createIdempotency(storage, now);
	const fieldLimits = { maxFields: limits.maxFields, maxNameBytes: limits.maxFieldName, maxDepth: limits.maxDepth };
	const textLimits = { ...fieldLimits, maxTextBytes: limits.maxBody };
	const freeBytes = Math.min(FREE_BODY_BYTES, limits.maxBody);
	const holdBody = createBodyHold({ budget, shareBytes: NETWORK_BYTES, freeBytes, freeBodies: FREE_BODIES });

	/** For a body that is not small; others cannot have too much text. */
	function createLook(media: Media | 'sniff') {
		return media !== 'sniff' && media.kind === 'multipart'
			? createMultipartWatch(media.boundary, textLimits)
			: undefined;
	}

	/** From the content on: judged, stored, and led somewhere. */
	async function store(
		{ form, request }: Submit,
		{ special, names, data }: Content,
		idempotencyKey?: { key: string; bodyHash: string; since: number },
	): Promise<{ next: string | null }> {
		let spamReason = honeypotVerdict(special);
		if (form.captcha !== null) {
			// Its token is good for one time, which must not be one that is refused anyway.
			const refusal = storage.findings.refusal('submission');
			if (refusal) throw refusal;
			spamReason ??= await checkCaptcha({ form, tokens: special.captchaTokens });
		}
		if (names.length === 0) throw new AppError('EMPTY_SUBMISSION', 'The submission has no fields to store.');
		const { headers } = request;
		const next = redirectTarget(form, { next: special.next, headers, strict: strictRedirects });
		const submission: NewSubmission = {
			id: storage.nextId(),
			formId: form.id,
			data,
			names,
			spamReason,
			subject: special.subject ?? null,
			replyTo: special.replyTo ?? null,
			...(idempotencyKey && { idempotencyKey: { ...idempotencyKey, formId: form.id, next, createdAt: now() } }),
		};
		const planned = outbox.plan({ form, submission });
		const deliveries = planned instanceof Promise ? await planned : planned;
		submission.deliveries = deliveries;
		await storage.submissions.append(submission);
		outbox.wake(deliveries);
		return { next };
	}

	return {
		/** @throws AppError FORM_NOT_FOUND */
		findForm(slug: string): FormRow | Promise<FormRow> {
			const found = forms.findBySlug(slug);
			return found instanceof Promise ? found.then((form) => form ?? Promise.reject(unknownForm())) : found;
		},
		/** Counts a submission against its sender's rate. @throws AppError RATE_LIMITED */
		takeRate: ({ form, clientAddress }: Submit): RateState | undefined =>
			rate.take(`${networkOf(clientAddress)} ${form.id}`),
		/**
		 * Takes a submission in. Resolves once it is on disk, with the address to lead the sender to; `null` is the
		 * thank-you page. The checks run in the contract's order, the cheap ones first.
		 * @throws AppError for every refusal; then nothing was stored
		 */
		async accept(submit: Submit): Promise<{ next: string | null }> {
			const { form, request, clientAddress } = submit;
			const { headers } = request;
			const contentType = headers.get('content-type');
			const maxBytes = /^\s*multipart\//i.test(contentType ?? '') ? limits.maxMultipart : limits.maxBody;
			const declaredBytes = declaredSize(headers, maxBytes);
			checkOpen(submit);
			const media = mediaKind(contentType);
			const key = idempotencyKeyOf(headers);
			const held = declaredBytes !== undefined && declaredBytes <= freeBytes ? undefined : holdBody(clientAddress);
			try {
				let body: Uint8Array;
				try {
					body = await (held?.read(request, { maxBytes, look: createLook(media) }) ?? readSmallBody(request));
				} catch (cause) {
					throw asBodyError(cause);
				}
				checkSize(body, maxBytes);
				const content = readContent(body, media, fieldLimits);
				checkStored(content, limits.maxBody);
				if (key === undefined) return await store(submit, content);
				const bodyHash = hashContent(content);
				const storeOnce = (since: number) => store(submit, content, { key, bodyHash, since });
				return await idempotency.once({ formId: form.id, key, bodyHash }, storeOnce);
			} finally {
				held?.release();
			}
		},
		/** Counts a request for a challenge, apart from submissions. @throws AppError RATE_LIMITED */
		takeChallengeRate: ({ form, clientAddress }: Submit): RateState | undefined =>
			rate.take(`${networkOf(clientAddress)} ${form.id} challenge`),
		/**
		 * A challenge for the ALTCHA widget on the page of a form, for whoever may submit to it.
		 * @throws AppError FORM_DISABLED, DOMAIN_NOT_ALLOWED, or NOT_FOUND if the form does not use ALTCHA
		 */
		async challenge(submit: Submit): Promise<AltchaChallenge> {
			checkOpen(submit);
			if (submit.form.captcha !== 'altcha') throw new AppError('NOT_FOUND', 'This form does not use ALTCHA.');
			return altcha.challenge(encodeId(submit.form.id));
		},
		/** Forgets old idempotency keys, to be called now and then. */
		expire: idempotency.expire,
	};
}

function checkOpen({ form, request: { headers } }: Submit): void {
	if (!form.isActive) throw new AppError('FORM_DISABLED', 'This form is not accepting submissions.');
	if (!checkOrigin(headers, form.allowedDomains)) {
		throw new AppError('DOMAIN_NOT_ALLOWED', 'This form does not accept submissions from this website.');
	}
}

/** Escapes make some bytes six characters: what is kept must not be much larger than what may be sent. */
function checkStored({ data }: Content, maxBytes: number): void {
	if (data.length <= 2 * maxBytes) return;
	throw new AppError(
		'PAYLOAD_TOO_LARGE',
		`Written as JSON, as it is kept, a submission may have at most ${2 * maxBytes} characters.`,
	);
}

function unknownForm(): AppError {
	return new AppError('FORM_NOT_FOUND', 'There is no form at this address.');
}
