/** Sentences of a form's webhooks and of the dialog for one. */

import type { ComponentChildren } from 'preact';
import type { Include } from '../../../form-values/webhook-formats.ts';
import { phrase } from './phrase.ts';

export const webhooks = 'Webhooks';
export const intro =
	'Submissions are posted to a program as JSON, signed after the Standard Webhooks specification, or to a chat as a message, and tried again for days if the other side is down.';
export const add = 'Add a webhook…';
export const off = 'Off';
export const failing = 'Failing';
export const onlySome = 'Only submissions that meet its conditions';
export const failingSince = (time: ComponentChildren) => phrase`Failing since ${time}`;

export const test = 'Test';
export const arrived = (status: number | null) => `The test event arrived: status ${status}.`;
export const rejected = (status: number | null) => `The receiver rejected the test event with status ${status}.`;
export const edit = 'Edit';
export const turnOff = 'Turn off';
export const turnOn = 'Turn on';
export const newSecret = 'New secret';
export const remove = 'Delete webhook';
export const removeQuestion = 'Delete this webhook?';
export const removeVerb = 'Delete';
export const removeWarning = (url: string) => `${url} will get no more submissions.`;
export const secretTitle = 'The webhook’s secret';
export const theSecret = 'the secret';
export const secretHint = 'Your receiver verifies signatures with it. It is shown only once.';

export const newWebhook = 'New webhook';
export const newVerb = 'Add';
export const editTitle = 'Edit this webhook';
export const editVerb = 'Save';
export const eventHint = (posted: string) => `When ${posted}.`;
export const format = 'Format';
export const address = 'Address';
export const nameHint = 'For you alone.';
export const headers = 'Headers';
export const headersHint = 'One per line. Values are not shown again.';
/** In place of the value of a header, which cannot be read. */
export const storedHeader = '(stored)';
export const body = 'Body';
export const bodyHint = 'JSON, in whose texts {{email}} stands for the field of that name.';
export const holds = 'What it holds';
export const preview = 'Preview';
export const onlySomeSwitch = 'Only some submissions';

/** The message of the preview. */
export const sampleTitle = 'Contact: new submission';
export const samples: Record<Include, string> = {
	link: '',
	summary: 'name: Ada\nmessage: I would like to know more about …',
	all: 'name: Ada\nmessage:\nI would like to know more about your courses.\nDo you offer any in May?',
};
