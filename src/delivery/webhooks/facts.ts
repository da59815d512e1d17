/** Pure: what an event says in place of a submission, as it is stored with its delivery, posted, and told to people. */

import { encodeId } from '../../ids.ts';
import type { DeliveryRow } from '../../storage/tables.ts';
import { DELIVERY_FAILED, WEBHOOK_EVENTS, type WebhookEvent } from '../events.ts';
import { type Event, formShown, STANDARD } from './event.ts';
import type { Told } from './message.ts';

/**
 * Without where it went: the address of a webhook is a credential, and that of a visitor is what the visitor submitted. The receiver's
 * words may repeat either, so that `error` has its status or reply code alone.
 */
interface FailedDelivery {
	id: string;
	channel: string;
	event: string;
	submission: string | null;
	webhook: string | null;
	attempts: number;
	error: string | null;
}

/** A submission that is gone; so many more of one call; a delivery that was given up. */
export type Facts = { submission: { id: string } } | { submission: null; more: number } | { delivery: FailedDelivery };

/** Returns whether a delivery is a request whose content is what it announces, without any value that was submitted. */
export const hasFacts = ({ channel, event, submissionId }: Pick<DeliveryRow, 'channel' | 'event' | 'submissionId'>) =>
	channel === 'webhook' && (submissionId === null || event === DELIVERY_FAILED);

export function failureOf(row: DeliveryRow): Facts {
	const { channel, event, attempts, submissionId, webhookId, lastError } = row;
	const error = codeIn(lastError ?? '');
	const idOf = (id: number | null) => (id === null ? null : encodeId(id));
	const [submission, webhook] = [idOf(submissionId), idOf(webhookId)];
	return { delivery: { id: encodeId(row.id), channel, event, submission, webhook, attempts, error } };
}

/** The status of a receiver of webhooks, or the reply code of a mail server; `null` if there was neither. */
function codeIn(error: string): string | null {
	const status = /\bresponded with (\d{3})\b/i.exec(error)?.[1];
	if (status !== undefined) return `Responded with ${status}`;
	return /: ([45]\d\d(?: [45]\.\d{1,3}\.\d{1,3})?)\b/.exec(error)?.[1] ?? null;
}

type Context = Pick<Event, 'form' | 'timeline'>;

/** The body of the format `standard`. Its moment is that of the event, when its delivery was planned. */
export function factsBody({ id, event }: DeliveryRow, facts: Facts, { form, timeline }: Context): string {
	return STANDARD.facts(event, { form: formShown(form), at: timeline.isoOf(id), facts });
}

export function toldOfFacts(
	{ id, event }: DeliveryRow,
	facts: Facts,
	{ form, timeline, baseUrl }: Context & { baseUrl: string },
): Told {
	const words: { headline: string; many?: string } = WEBHOOK_EVENTS[event as WebhookEvent];
	const told = { event, headline: words.headline, form, submission: null, baseUrl };
	if ('delivery' in facts) {
		const { id: failed, channel, error } = facts.delivery;
		return {
			...told,
			note: error === null ? channel : `${channel}: ${error}`,
			link: `${baseUrl}/#/deliveries/${failed}`,
		};
	}
	if (facts.submission === null) return { ...told, headline: `${facts.more} ${words.many}` };
	return { ...told, submission: { id: facts.submission.id, createdAt: timeline.isoOf(id), data: null } };
}
