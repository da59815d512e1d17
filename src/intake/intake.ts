/** The intake of a submission: from the request body to the committed row and the redirect target. */

import type { Config } from '../config.ts';
import { AppError, spokenError } from '../errors.ts';
import { droppedOf } from '../form-values/dropped-files.ts';
import { checkOrigin } from '../forms/allowed-domains.ts';
import type { FindBySlug } from '../forms/by-slug.ts';
import { networkOf } from '../http/client-address.ts';
import { encodeId } from '../ids.ts';
import type { Translation } from '../languages/translation.ts';
import type { LoadTimeTokens } from '../spam/sender/load-time-tokens.ts';
import type { Storage } from '../storage/contract.ts';
import type { FormRow } from '../storage/tables.ts';
import type { ByteBudget } from '../tasks/byte-budget.ts';
import { type BodyReservation, createBodyReservations, declaredSize, readSmallBody } from './body/bytes.ts';
import { type Content, contentOf } from './body/content.ts';
import type { Posted, PostedField } from './body/fields.ts';
import { readJsonFields } from './body/json-fields.ts';
import { isJsonBody, type Media, mediaKind, readFields } from './body/media.ts';
import { createMultipartReader } from './body/multipart-reader.ts';
import type { Upload, Uploads } from './body/upload.ts';
import type { Altcha, AltchaChallenge } from './checks/altcha.ts';
import { createIdempotency, hashContent, idempotencyKeyOf } from './checks/idempotency.ts';
import { createOpening, mayBeClosed, type Status } from './checks/opening.ts';
import type { IntakeRates } from './checks/rates.ts';
import { createThanks } from './pages/thanks.ts';
import { redirectTarget } from './redirect-target.ts';
import type { Outcome } from './responses.ts';
import { createStore, type StoreOptions } from './store.ts';

/** The most that one network's large bodies take of the byte budget: three of 1 MiB, each counted four times. */
const NETWORK_BYTES = 12 * 1024 * 1024;
/** The first bytes of a body, which are not counted: nearly every form sends less. */
const FREE_BODY_BYTES = 16 * 1024;
/** The most bodies at one time with uncounted bytes: together these take no more than the share of one network. */
const FREE_BODIES = 192;

interface IntakeOptions extends Omit<StoreOptions, 'now' | 'noteKey'> {
	storage: Storage;
	forms: { findBySlug: FindBySlug };
	/** Memory for large bodies; beyond it they are rejected with Retry-After. */
	budget: ByteBudget;
	rates: IntakeRates;
	limits: Config['limits'];
	strictRedirects: boolean;
	uploads: Uploads;
	altcha: Pick<Altcha, 'challenge'>;
	stamps: Pick<LoadTimeTokens, 'make'>;
	/** That of forms without one of their own; it may change. */
	timeZone: () => string;
	now?: () => number;
}

export interface Submit {
	form: FormRow;
	request: Request;
	clientAddress: string;
	/** True if the request has a key that may submit: then its origin does not matter. */
	hasKey: boolean;
	/** True if the owner tests the form: then the submission is not judged, and is marked. */
	isTest: boolean;
	/** The beginning of this endpoint's public address. */
	ownAddress: string;
	/** Tells what the body turned out to be, also if it is rejected then. */
	seen: { /** True if it is JSON; absent for multipart bodies. */ isJson?: boolean | undefined };
}

/** The request for something else about a form. */
interface Query extends Pick<Submit, 'form' | 'request' | 'hasKey' | 'ownAddress'> {
	translation: () => Promise<Translation>;
}

/** The parts of a submission that are given back at its end, stored or not. */
interface Held {
	files: Upload | undefined;
	reservation: BodyReservation | undefined;
}

interface Body {
	media: Media;
	maxBytes: number;
	held: Held;
}

/** The idempotency key and its values. */
interface Keyed {
	key: string;
	next: string | null;
	/** The reason why the form accepts nothing new. */
	closed: AppError | undefined;
}

export type Intake = ReturnType<typeof createIntake>;

export function createIntake(options: IntakeOptions) {
	const { storage, forms, budget, rates, limits, strictRedirects, uploads, altcha, stamps, now = Date.now } = options;
	const idempotency = createIdempotency(storage, now);
	const store = createStore({ ...options, now, noteKey: idempotency.note });
	const opening = createOpening(storage, { timeZone: options.timeZone, now });
	const thanks = createThanks(storage, now);
	const fieldLimits = { maxFields: limits.maxFields, maxNameBytes: limits.maxFieldName, maxDepth: limits.maxDepth };
	const textLimits = { ...fieldLimits, maxTextBytes: limits.maxBody };
	const freeBytes = Math.min(FREE_BODY_BYTES, limits.maxBody);
	const bodies = createBodyReservations({ budget, shareBytes: NETWORK_BYTES, freeBytes, freeBodies: FREE_BODIES });

	/** Stores a submission with an idempotency key, unless that was done before: then the first outcome is repeated. */
	function storeOnce(submit: Submit, content: Content, { key, next, closed }: Keyed): Promise<Outcome> {
		const bodyHash = hashContent(content);
		return idempotency.once({ formId: submit.form.id, key, bodyHash }, async (since) => {
			if (closed) throw closed;
			const submissionId = await store(submit, content, { key, bodyHash, next, since });
			return { next, submissionId, ...droppedOf(content) };
		});
	}

	/** Adds the query by which the thank-you page names the files that were left out. */
	async function withThanks(outcome: Outcome): Promise<Outcome> {
		const { submissionId } = outcome;
		if (submissionId === null) return outcome;
		return { ...outcome, thanksQuery: await thanks.query(submissionId) };
	}

	/** A promise only if it has to read; otherwise nothing of a body can arrive meanwhile. @throws AppError FORM_NOT_FOUND */
	function findForm(slug: string): FormRow | Promise<FormRow> {
		const found = forms.findBySlug(slug);
		return found instanceof Promise ? found.then((form) => form ?? Promise.reject(unknownForm())) : found;
	}

	/** Reads the fields of a body. One that may have files is parsed as it arrives, and they are held. */
	async function readBody(submit: Submit, { media, maxBytes, held }: Body): Promise<Posted> {
		const { form, request, clientAddress, seen } = submit;
		const { reservation } = held;
		let body: Uint8Array | undefined;
		if (!reservation || media.kind !== 'multipart') {
			body = await (reservation?.read(request, maxBytes) ?? readSmallBody(request, maxBytes));
			seen.isJson = isJsonBody(body, media);
			const posted = readFields(body, media, fieldLimits);
			if (posted) return posted;
		}
		held.files = uploads({ form, network: networkOf(clientAddress) });
		const reader = createMultipartReader(media.boundary, { limits: textLimits, files: held.files });
		await (body ? reader.push(body) : reservation?.feed(request, maxBytes, reader));
		return { fields: reader.end() };
	}

	return {
		findForm,
		rates,
		/** The fields of a JSON text within the limits of submissions; of a whole one, they may be a member. @throws AppError */
		readJson(text: string, isWhole = false): PostedField[] {
			const { maxFields, maxDepth, maxNameBytes } = fieldLimits;
			const around = {
				maxFields: 2 * maxFields + 100,
				maxDepth: maxDepth + 10,
				maxNameBytes: Math.max(maxNameBytes, 100),
			};
			return readJsonFields(text, isWhole ? around : fieldLimits);
		},
		/** For whatever is waited for before `accept` reads the body. */
		whileUnread: bodies.whileUnread,
		/** The files that the thank-you page of this address names. */
		thanksDropped: thanks.dropped,
		/**
		 * Accepts a submission; resolves once it is on disk. If this throws, nothing was stored. Cheap checks run first.
		 * @throws AppError
		 */
		async accept(submit: Submit): Promise<Outcome> {
			const { form, request, clientAddress } = submit;
			const { headers } = request;
			const held: Held = { files: undefined, reservation: undefined };
			try {
				const contentType = headers.get('content-type');
				const maxBytes = /^\s*multipart\//i.test(contentType ?? '') ? limits.maxMultipart : limits.maxBody;
				const declaredBytes = declaredSize(headers, maxBytes);
				const closed = mayBeClosed(form) ? await bodies.whileUnread(submit, opening.rejection(form)) : undefined;
				// A request that was accepted before is repeated with success; that takes the key and the body.
				if (closed && !headers.has('idempotency-key')) throw closed;
				checkPage(submit);
				const media = mediaKind(contentType);
				const key = idempotencyKeyOf(headers);
				if (declaredBytes === undefined || declaredBytes > freeBytes) held.reservation = bodies.reserve(clientAddress);
				const content = contentOf(await readBody(submit, { media, maxBytes, held }), form, held.files);
				checkDataSize(content, limits.maxBody);
				const next = redirectTarget(form, { next: content.special.next, headers, strict: strictRedirects });
				const outcome =
					key === undefined
						? { next, submissionId: await store(submit, content), ...droppedOf(content) }
						: await storeOnce(submit, content, { key, next, closed });
				return outcome.droppedFiles ? await withThanks(outcome) : outcome;
			} finally {
				if (held.files) await held.files.close();
				held.reservation?.release();
			}
		},
		/** Returns whether the form accepts submissions now. */
		status: ({ form, translation }: Query): Promise<Status> => opening.status(form, translation),
		/**
		 * A challenge for the ALTCHA widget of a form, under the same conditions as a submission.
		 * @throws AppError FORM_DISABLED, DOMAIN_NOT_ALLOWED, or NOT_FOUND if the form does not use ALTCHA
		 */
		async challenge(query: Query): Promise<AltchaChallenge> {
			checkOpen(query);
			if (query.form.captcha !== 'altcha') throw new AppError('NOT_FOUND', 'This form does not use ALTCHA.');
			return altcha.challenge(encodeId(query.form.id));
		},
		/** A stamp of this moment, which `formsrv.js` sends along. @throws AppError FORM_DISABLED, DOMAIN_NOT_ALLOWED */
		async stamp(query: Query): Promise<{ stamp: string }> {
			checkOpen(query);
			return { stamp: await stamps.make(query.form.id) };
		},
		/** Maintenance: deletes old idempotency keys. */
		expire: idempotency.expire,
	};
}

function checkOpen(query: Omit<Query, 'translation'>): void {
	if (!query.form.isActive) throw spokenError('FORM_DISABLED', ['paused']);
	checkPage(query);
}

function checkPage({ form, request: { headers }, hasKey, ownAddress }: Omit<Query, 'translation'>): void {
	if (!hasKey && !checkOrigin(headers, form.allowedDomains) && !isCorrection(headers, ownAddress)) {
		throw spokenError('DOMAIN_NOT_ALLOWED', ['domain']);
	}
}

/** Returns whether it comes from the page on which a visitor corrects fields, which was shown for a submission from an allowed page. */
function isCorrection(headers: Headers, ownAddress: string): boolean {
	const isOwn = headers.get('referer')?.startsWith(ownAddress) === true;
	return isOwn && headers.get('origin') === URL.parse(ownAddress)?.origin;
}

/** An escape turns one byte into six characters: the stored text must not be much larger than the sent body. */
function checkDataSize({ data }: Content, maxBytes: number): void {
	if (data.length <= 2 * maxBytes) return;
	throw new AppError('PAYLOAD_TOO_LARGE', `Stored as JSON, a submission may have at most ${2 * maxBytes} characters.`);
}

function unknownForm(): AppError {
	return spokenError('FORM_NOT_FOUND', ['noForm']);
}
