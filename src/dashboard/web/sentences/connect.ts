/** Sentences of the page that connects a website, and what its snippets say to those who paste them. */

import type { ComponentChildren } from 'preact';
import { formatCount, plural } from '../../../text/plural.ts';
import { phrase } from './phrase.ts';

export const address = 'The form’s address';
export const theAddress = 'the address';
export const putItOn = 'Put it on a website';
export const seeItWork = 'See it work';
export const seeItWorkHint =
	'Sends one submission as a visitor would, with values that follow the rules. It is marked as a test; allowed domains, captcha and spam rules let it pass, and its mails and webhook requests are sent.';

export const valueNeeded = 'The test needs a value that follows the rule.';
export const sendTest = 'Send a test submission';
export const testArrived = 'The test submission has arrived.';
export const show = 'Show';
export const testNeedsWrite = 'Sending a test submission requires the permission to write.';
/** The values of a test submission. */
export const testValues: Record<string, string> = {
	name: 'Test from the dashboard',
	email: 'test@example.com',
	message: 'If you can read this, the form works.',
};
export const testFile = 'This is a test.';

export const closed = 'The form is paused. Activate it in its settings, and it accepts submissions again.';
export const notOpenYet = (opens: string) => `The form is not open yet: it opens on ${opens}.`;
export const closedSince = (closes: string) => `The form has been closed since ${closes}.`;
export const full = (places: number) =>
	`The form is full: it takes ${plural(places, 'submission')}. Delete some, or give it more places.`;
export const closesOn = (closes: string) => `It closes on ${closes}.`;
export const placesTaken = (places: number, taken: number) =>
	`It takes ${plural(places, 'submission')} and has ${formatCount(taken)}.`;

export const anyWebsite = 'Any website may post to it.';
export const onlyDomains = (domains: readonly string[]) =>
	`Only pages of ${domains.join(', ')} may post to it, those of subdomains included.`;
export const captchaNeeded = (captcha: string) => `Visitors have to pass ${captcha}.`;
export const serverNeedsKey = 'A server needs a key with the permission submit instead.';
export const anyFields = 'Fields may have any name; each becomes a column.';
export const fieldsAndOthers = 'Fields must follow its rules; others may have any name.';
export const fieldsKept = (names: string) => `Only these fields are kept, others are dropped: ${names}.`;
export const onlyFields = (names: string) => `Only these fields may be sent: ${names}.`;
export const requiredFields = (labels: string[]) => `Required: ${labels.join(', ')}.`;
export const noFiles = 'It does not accept files.';

interface FileTerm {
	maxFiles: number;
	size: string;
	types: readonly string[];
	isDropped: boolean;
}
export const files = ({ maxFiles, size, types, isDropped }: FileTerm) => {
	const kinds = types.length > 0 ? `: ${types.join(', ')}` : ' of any type';
	return `It takes ${plural(maxFiles, 'file')} of up to ${size}${maxFiles > 1 ? ' each' : ''}${kinds}.${isDropped ? ' Others are left out.' : ''}`;
};

export const specialFields = 'Special fields';
export const nextMeaning = 'Where the visitor is sent, instead of the form’s redirect address.';
export const subjectMeaning = 'The subject of the notification mail.';
export const replyToMeaning = (field: ComponentChildren) =>
	phrase`Where replies to the notification go. Default: the field ${field}.`;
export const honeypotMeaning = 'A honeypot: keep it hidden. Submissions with a value in it go to spam.';

export const snippets = 'Snippets';
export const kindOfWebsite = 'Kind of website';
export const withFileInput = 'With a file input';
export const theSnippet = 'the snippet';
export const snippetOf = (title: string) => `${title} snippet`;
export const siteKeyHint = (captcha: string) =>
	`Replace YOUR_SITE_KEY with the site key that ${captcha} gave you. This server knows only the secret.`;
