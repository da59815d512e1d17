/** Sentences of a form's settings beside those of their records: controls with several parts, lists, mail, deletion. */

import type { ComponentChildren } from 'preact';
import type { AddressPart } from '../../../form-values/context-rules.ts';
import type { RetentionPart } from '../../../form-values/retention-rules.ts';
import { roughSize } from '../../../text/byte-sizes.ts';
import { plural } from '../../../text/plural.ts';
import { phrase } from './phrase.ts';

export const viewQuery = 'Query';
export const removeView = 'Remove view';
export const settingsOf = 'Settings of';
export const noSettings = 'Settings are not shown with this key';
export const noSettingsHint = 'It is for the submissions of the form.';
export const groups = 'Groups';
export const keptIn = (file: string) =>
	`These settings are kept in the file ${file}: what you change here lasts until it is applied again.`;
export const settings = 'settings';
export const save = 'Save changes';
export const saved = 'Settings saved.';
export const outdated = (labels: string[]) =>
	`Another owner has changed ${labels.map((label) => `“${label}”`).join(', ')} meanwhile. Save to replace that by yours, or discard yours to see it.`;
export const formerAddresses = (addresses: string[]) =>
	addresses.length === 0
		? 'If you change it, the old address keeps working until another form takes it.'
		: `Until another form takes them, these go on working: ${addresses.join(', ')}.`;
export const anyNumber = 'Any number';

export const ifField = 'If the field';
export const test = 'Test';
export const tests = { is: 'is', contains: 'contains', exists: 'is filled in', missing: 'is empty' } as const;
export const testText = 'Text';
export const removeCondition = (field: string) => `Remove the condition on ${field || 'the new field'}`;
export const andIf = 'And if…';

export const mailGoesTo = 'Mail goes to';
export const mailExample = 'sales@example.com';
export const removeRoute = 'Remove the route';
export const addRoute = 'Add a route';

export const keepPage = 'Keep the page';
export const keepPageHint = 'Its address, without what follows the question mark.';
export const keepCampaigns = 'Keep campaigns';
export const keepCampaignsHint = 'The utm_… parameters of the page.';
export const keepBrowser = 'Keep the browser';
export const keepBrowserHint = 'The name that the browser gives itself.';
export const senderAddress = 'Sender’s address';
export const addresses: Record<AddressPart, string> = {
	none: 'No address',
	network: 'The network only, such as 203.0.113.0/24',
	full: 'The whole address',
};

export const takeFiles = 'Take files';
export const maxFiles = 'Number of files';
export const maxBytes = 'Size of one file';
export const fileTypes = 'Types';
export const fileTypesHint = 'Such as image/*, application/pdf, .docx; held against the content. Empty: any.';
export const anyType = 'Any';
export const otherFiles = 'Other files';
export const otherFilesHint =
	'Files beyond these rules, or that cannot be stored. A file that a rule requires is always needed.';

export const retention: Record<RetentionPart, string> = {
	days: 'Delete submissions after days',
	spamDays: 'Delete spam after days',
	filesDays: 'Delete files after days',
};
export const never = 'Never';
export const asSubmissions = 'As submissions';
export const nextDeletion = (count: number, day: string) => `Next: ${plural(count, 'submission')} on ${day}.`;

export const spamFrom = 'Spam from a score of';
export const spamFromHint = (hint: string | undefined) =>
	`${hint} From 1 to 10. Empty: points alone send nothing to spam.`;
export const off = 'Off';
export const honeypots = 'Honeypot fields';
export const honeypotsHint =
	'Names of fields that your page hides from people, one per line. What fills one in is a robot, and goes to spam.';

export const lists = 'Blocked and allowed';
export const listsOfAll = 'Blocked and allowed at all forms';
export const listsHint = (code: (kind: string) => ComponentChildren) =>
	phrase`One entry on each line: ${code('email:')} and ${code('domain:')} of the sender, ${code('cidr:')} an address or a range of addresses, ${code('text:')} words anywhere in what was sent.`;
export const block = 'Block list';
export const blockHint = 'Submissions that match an entry go to spam.';
export const allow = 'Allow list';
export const allowHint = 'Submissions that match an entry are never spam, unless they fill in the honeypot.';
export const entries = 'entries';
export const saveLists = 'Save lists';
export const listsSaved = 'Lists saved.';

export const notification = {
	cc: { label: 'Copies to', hint: 'With the addresses above up to ten. They show in every mail.' },
	bcc: { label: 'Hidden copies to', hint: 'The others do not see them.' },
	subject: { label: 'Subject', hint: 'Empty: that of the page, or a plain one.' },
	fromName: { label: 'Name of the sender', hint: 'The address is that of the server. Empty: its name.' },
	replyTo: {
		label: 'Replies go to',
		hint: 'An address, or the name of the field that has it. Empty: the field email.',
	},
	intro: { label: 'Text above the fields' },
};
export const showAllFields = 'Show all fields';
export const onlyFields = 'Only these fields';
export const onlyFieldsHint = 'One name per line, in the order of the mail. Empty: none.';

export const previewMail = 'Preview the mail';
export const testMail = 'Send a test mail';
export const mailHint = 'With invented values, and the settings as they are saved.';
export const mailAccepted = (to: string[]) => `The mail server accepted a test mail to ${to.join(', ')}.`;
export const mailOfForm = 'The mail of this form';
export const copies = 'Copies';
export const hiddenCopies = 'Hidden copies';

export const sendResponse = 'Send one';
export const responseField = 'Field with the address';
export const responseSubjectExample = 'We have your message';
export const responseDelay = 'Minutes to wait';
export const responseText = 'Text';
export const askToConfirm = 'Ask visitors to confirm their address';
export const confirmSubjectExample = 'Please confirm your e-mail address';
export const confirmTextExample = 'Please confirm that this is your address.';
export const responseTextExample = 'Thank you. Your message has reached us.';

export const thanksTitle = 'Title';
export const thanksTitleExample = 'Thank you';
export const thanksText = 'Text';
export const thanksTextExample = 'Your message has been sent.';
export const thanksLink = 'Link';
export const thanksLinkLabel = 'Text of the link';
export const colour = 'Colour';

export const remove = 'Delete this form';
export const removeHint = (count: number, fileBytes: number) =>
	`With its ${plural(count, 'submission')}, ${fileBytes > 0 ? `their files (${roughSize(fileBytes)}), ` : ''}webhooks and the form-level keys that are for it alone, for good. Its address is free for another form after 30 days.`;
export const removeButton = 'Delete form…';
export const removeQuestion = 'Delete this form?';
export const removeVerb = 'Delete for good';
interface Removal {
	count: number;
	hasFiles: boolean;
	strong: (text: string) => ComponentChildren;
}
export const removeWarning = ({ count, hasFiles, strong }: Removal) =>
	phrase`${strong(plural(count, 'submission'))} will be removed with it${hasFiles && ', and all files attached to them'}. This cannot be undone; export them first if you may need them.`;
export const isRemoved = (name: string) => `The form “${name}” is gone.`;
