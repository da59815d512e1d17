/** The interface of a channel, such as mail or webhooks, to the outbox, the worker and the list of deliveries. */

import type { FieldTexts } from '../form-values/conditions.ts';
import type { ChannelName, DeliveryRow, FormRow, WebhookRow } from '../storage/tables.ts';
import { lazy } from '../tasks/lazy.ts';
import type { Schedule } from './worker/backoff.ts';
import type { DueSelection } from './worker/destination-worker.ts';
import type { Outcome } from './worker/outcome.ts';
import type { Queue } from './worker/queue.ts';

export interface Attempt {
	outcome: Outcome;
	/** The record of the sent content: JSON text for {@link Channel.recall}. */
	kept?: string;
}

/** Content to show to the owner. With `isCut`, its longest text is only the beginning. */
export type Content = { isCut?: true } & Record<string, unknown>;

export interface Messages {
	/**
	 * Makes one attempt, in bounded time once it has got its memory. When `signal` aborts, it ends at once, with the
	 * outcome `unavailable` if nothing can have arrived by then.
	 * @throws the reason of `signal` if it aborts before the attempt began
	 */
	send(row: DeliveryRow, options: { signal: AbortSignal }): Promise<Attempt>;
	/** The content to send now; `undefined` if the submission was removed. */
	compose(row: DeliveryRow): Promise<Content | undefined>;
	/** The content that was sent, from the stored record. */
	recall(row: DeliveryRow, kept: string): Promise<Content | undefined>;
}

/** A place that can be unavailable by itself: the one server of a channel, such as that of all mail, or one webhook. */
export interface Destination {
	/** The name of the channel, with the id of the webhook if there is one. */
	readonly key: string;
	readonly channel: ChannelName;
	readonly webhookId: number | null;
}

export function destinationOf(row: { channel: ChannelName; webhookId?: number | null }): Destination {
	const { channel, webhookId = null } = row;
	return { key: webhookId === null ? channel : `${channel}:${webhookId}`, channel, webhookId };
}

/** An active webhook of a form. */
export type Hook = Pick<WebhookRow, 'id' | 'url' | 'events' | 'where'>;

/** The columns of a delivery that say where it goes. */
export type Target = Pick<DeliveryRow, 'destination'> & {
	webhookId?: number;
	/** That of its reader. */
	language?: string | null;
	/** How long it waits before it is sent. */
	delayMs?: number;
};

/** The cause of deliveries, as channels need it to say where they go. */
export interface About {
	event: string;
	hooks: readonly Hook[];
	texts: FieldTexts;
	/** The JSON text of the fields. */
	data: string;
	/** The language of the visitor, if the form writes to visitors. */
	language: string | undefined;
	/** True if the address of the visitor was just confirmed. */
	isConfirmed: boolean;
}

export interface Channel extends Messages {
	/** Begins a sentence of the log. */
	readonly title: string;
	/** Set if each webhook is a destination; otherwise the channel is one. */
	readonly isByWebhook: boolean;
	readonly schedule: Schedule;
	/** Maximum number of attempts in flight to one destination. */
	readonly concurrency: number;
	/** Why new deliveries are withheld; `null` if they are not. */
	readonly withheld: string | null;
	/** Where an event about a submission goes. On the hot path of submissions. */
	targets(form: FormRow, about: About): readonly Target[];
	/** Selects among the due deliveries of a destination; without it, the longest waiting go first. */
	select?(queue: Queue): DueSelection;
}

export type Channels = Readonly<Record<ChannelName, Channel>>;

/** Loads what a channel sends when it is first needed: many servers never send anything. */
export function lazyMessages(load: () => Promise<Messages>): Messages {
	const messages = lazy(load);
	return {
		send: async (row, options) => (await messages()).send(row, options),
		compose: async (row) => (await messages()).compose(row),
		recall: async (row, kept) => (await messages()).recall(row, kept),
	};
}
