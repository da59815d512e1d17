/** The requests of webhooks in the formats that are not the standard one: composed, stored, and shown to the owner. */

import { encodeId } from '../../ids.ts';
import { type PostBody, textBody } from '../../network/post-body.ts';
import type { Storage } from '../../storage/contract.ts';
import { NO_DATA } from '../../storage/damage.ts';
import { isJsonInUtf8 } from '../../storage/damaged-bytes.ts';
import type { DeliveryRow, WebhookRow } from '../../storage/tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { parseExact } from '../../text/exact-json.ts';
import type { Content } from '../channel.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../events.ts';
import type { Event } from './event.ts';
import { type Posting, requestOf, type Told } from './message.ts';
import type { SharedText } from './shared-texts.ts';

/** The engine's copy of a text, its bytes, and the string. */
const COPIES = 3;

/** A request that is ready; `kept` is stored of it, if anything. */
export interface ReadyRequest {
	url?: string;
	method?: 'PUT';
	body: PostBody;
	kept?: string;
}

interface Options {
	budget: Pick<ByteBudget, 'take'>;
	baseUrl: () => string;
}

export const messageId = ({ id }: Pick<DeliveryRow, 'id'>): string => `msg_${encodeId(id)}`;

/** How a webhook posts, unless that is in the standard format. */
export function postingOf({ url, format, include, body }: WebhookRow): Posting | undefined {
	return format === 'standard' ? undefined : ({ url, format, include, body } as Posting);
}

export function createMessageRequests(storage: Storage, { budget, baseUrl }: Options) {
	const compose = (
		event: Event,
		posting: Posting,
		{ row, bytes }: { row: DeliveryRow; bytes: Uint8Array | undefined },
	) => requestOf(toldOf(event, { bytes, baseUrl: baseUrl() }), posting, messageId(row));

	return {
		/** Releases the submission's text, because the request holds little of it, and takes memory for that. */
		async render(
			event: Event,
			posting: Posting,
			{ row, text, signal }: { row: DeliveryRow; text: SharedText; signal: AbortSignal },
		): Promise<ReadyRequest> {
			const { body, ...target } = compose(event, posting, { row, bytes: text.bytes });
			text.release();
			const made = textBody(body);
			const release = await budget.take(made.bytes, signal);
			const { url: _, ...kept } = posting;
			return { ...target, body: { ...made, sent: () => release() }, kept: JSON.stringify(kept) };
		},
		/** The body that was posted, or would be; `undefined` if the submission was removed. */
		async show(event: Event, posting: Omit<Posting, 'url'>, row: DeliveryRow): Promise<Content | undefined> {
			const head = await storage.submissions.head(row.formId, event.submission.id);
			if (!head) return undefined;
			using _held = await budget.take(COPIES * head.bytes);
			const text = await storage.submissions.text(head);
			const bytes = text && isJsonInUtf8(text) ? text : undefined;
			return parseExact(compose(event, { ...posting, url: row.destination }, { row, bytes }).body) as Content;
		},
	};
}

function toldOf(
	{ type, form, submission, timeline }: Event,
	{ bytes, baseUrl }: { bytes: Uint8Array | undefined; baseUrl: string },
): Told {
	const data = bytes && !submission.isDamaged ? new TextDecoder().decode(bytes) : NO_DATA;
	return {
		event: type,
		headline: WEBHOOK_EVENTS[type as WebhookEvent].headline,
		form,
		submission: { id: encodeId(submission.id), createdAt: timeline.isoOf(submission.id), data },
		baseUrl,
	};
}
