/** Sentences of the list of deliveries, and of one delivery. */

import type { ComponentChildren } from 'preact';
import { formatCount, plural } from '../../../text/plural.ts';
import type { ChannelName, DeliveryState } from '../api-types.ts';
import { phrase } from './phrase.ts';

export const channels: Record<ChannelName, string> = {
	mail: 'Mail',
	webhook: 'Webhook',
	visitor: 'Mail to the visitor',
};
export const states: Record<DeliveryState, string> = {
	waiting: 'Waiting',
	sending: 'Sending',
	gathered: 'In next digest',
	sent: 'Sent',
	failed: 'Failed',
	withheld: 'Withheld',
	held: 'Held',
	captured: 'Captured',
};

export const intro = 'Mails and webhook requests. Failed ones are retried for days before they are given up.';
export const retryFailed = 'Retry all failed';
export const retrying = (count: number) => `Trying again: ${formatCount(count)}.`;
export const noneFailed = 'Nothing has failed.';
export const noneHeld = 'None of the held deliveries can be sent.';

export const all = 'All';
export const noneInState = 'None in this state';
export const none = 'No deliveries yet';
export const noneHint =
	'Give a form a notification address or a webhook; every mail and webhook request is listed here, with its state.';
export const channel = 'Channel';
export const attempts = 'Attempts';
export const nextTry = 'Next try';

export const noMailServer = (how: (label: string) => ComponentChildren) =>
	phrase`No mail server is configured, so mails are withheld. ${how('How to set one')}`;
export const mailHeld = (reason: string | null) => `Mail is held back: ${reason}`;
export const mailHeldSince = (since: ComponentChildren, nextTryAt: ComponentChildren) =>
	nextTryAt ? phrase`Began ${since}, next try ${nextTryAt}` : phrase`Began ${since}`;
export const restored = (count: number) =>
	`A backup was restored. Mails and webhook requests that were waiting when it was made may have been sent since, so they are held (${formatCount(count)}).`;
export const sendHeld = 'Send held deliveries';

interface Digest {
	formName: ComponentChildren;
	since: ComponentChildren;
	goesAt: ComponentChildren;
	mail: (label: string) => ComponentChildren;
}
export const digest = ({ formName, since, goesAt, mail }: Digest) =>
	phrase`${formName} reached its hourly mail limit ${since}. Later submissions are collected: ${mail('one mail about all of them')} goes ${goesAt}. Each submission is in the inbox as usual.`;

export const delivery = 'Delivery';
export const sendNow = 'Send now';
export const retryingNow = 'Retrying now.';
export const stateAfter = (chip: ComponentChildren, count: number) => phrase`${chip} after ${plural(count, 'attempt')}`;
export const finished = 'Finished';
export const lastError = 'Last error';
export const wentWith = 'Went with';
export const oneMail = 'one mail about many';
export const becauseOf = 'Because of';
export const thisSubmission = 'this submission';
export const part = 'Part';
export const rendered = 'Rendered';
export const text = 'Text';
export const textOfMail = 'Text of the mail';
export const notStored = 'The content is no longer stored.';
export const isCut = 'Only the beginning is shown; the whole content is sent.';
