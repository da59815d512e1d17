/** Pure: what an event says in place of a submission, as it is stored with its delivery, posted, and told to people. */

import { encodeId } from '../../ids.ts';
import type { DeliveryRow, FormRow } from '../../storage/tables.ts';
import type { Timeline } from '../../storage/timeline.ts';
import { DELIVERY_FAILED, WEBHOOK_EVENTS, type WebhookEvent } from '../events.ts';
import { formShown, STANDARD } from './event.ts';
import type { Told } from './message.ts';

/** Without where it went: the address of a webhook is a credential, and that of a visitor is what the visitor submitted. */
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

export const hasFacts = ({ event, submissionId }: DeliveryRow): boolean =>
	submissionId === null || event === DELIVERY_FAILED;

export function failureOf(row: DeliveryRow): Facts {
	const { channel, event, attempts, submissionId, webhookId, lastError } = row;
	// Mail servers repeat addresses in their replies.
	const error = lastError?.replace(/[^\s<>]*@[^\s<>]*/g, '…') ?? null;
	const idOf = (id: number | null) => (id === null ? null : encodeId(id));
	const [submission, webhook] = [idOf(submissionId), idOf(webhookId)];
	return { delivery: { id: encodeId(row.id), channel, event, submission, webhook, attempts, error } };
}

interface Context {
	form: Pick<FormRow, 'id' | 'name' | 'slug' | 'fields'>;
	timeline: Timeline;
}

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
		return { ...told, note: `${channel}: ${error}`, link: `${baseUrl}/#/deliveries/${failed}` };
	}
	if (facts.submission === null) return { ...told, headline: `${facts.more} ${words.many}` };
	return { ...told, submission: { id: facts.submission.id, createdAt: timeline.isoOf(id), data: null } };
}
