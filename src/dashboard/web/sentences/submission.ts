/** Sentences of an open submission: its fields, files and deliveries, and why it is spam. */

import type { ComponentChildren } from 'preact';
import type { DroppedFile, DropReason } from '../../../form-values/dropped-files.ts';
import { OWN_WORDS, type TextName, type WordList } from '../../../storage/owned.ts';
import { roughSize } from '../../../text/byte-sizes.ts';
import { capitalised } from '../../../text/capitalised.ts';
import { formatCount, plural } from '../../../text/plural.ts';
import { phrase } from './phrase.ts';

export const submission = 'Submission';
export const backToList = 'Back to the list';
export const escapeKey = 'Esc';
export const previous = 'Previous';
export const next = 'Next';
export const reply = 'Reply';
export const replySubject = (form: string | undefined) => `Re: ${form ?? 'your message'}`;
export const isDamaged = 'This submission can no longer be read: the disk lost it. Restore a backup.';
export const isGone = 'This submission is gone';

export const ownWords = capitalised(OWN_WORDS.join(' and '));
export const newWord = ({ one }: WordList) => `New ${one}`;
export const addWord = 'Add';
export const removeWord = ({ one }: WordList, word: string) => `Remove the ${one} ${word}`;
/** Texts of the owner; `has`: the sign of a row with one. */
export const texts: Record<TextName, { label: string; hint: string; has: string }> = {
	note: { label: 'Note', hint: 'For you and your colleagues; stored when you leave it.', has: 'Has a note' },
};
export const isOutdated = (name: TextName) =>
	`Another owner has changed the ${name} meanwhile: yours is not stored yet.`;
export const leftText = (name: TextName) => `Your ${name} could not be stored any more:`;
export const theirs = 'Theirs:';
export const storeMine = 'Store mine instead';
export const takeTheirs = 'Discard mine';

export const block = 'Block';
export const blockSender = 'Block the sender';
export const blockHint = 'What comes from there goes to spam from now on, and so does this submission.';
export const blockAddress = (address: string) => `Block ${address}`;
export const blockDomain = (domain: string) => `Block all of ${domain}`;
export const atAllForms = 'At all forms';
export const blocked = (who: string, isForAll: boolean) =>
	`${who} is blocked at ${isForAll ? 'all forms' : 'this form'}.`;
export const unblock = 'Unblock';

export const context = 'Context';
export const test = 'Test';
export const isTest = 'Sent by an owner to test the form';
export const page = 'Page';
export const campaign = 'Campaign';
export const address = 'Address';
export const browser = 'Browser';
export const droppedFields = 'Dropped fields';
export const droppedFiles = 'Dropped files';
const dropReasons: Record<DropReason, string> = {
	FILE_TYPE_NOT_ALLOWED: 'the form does not accept this type',
	FILE_TOO_LARGE: 'it is too large',
	TOO_MANY_FILES: 'there were too many files',
	FILES_FULL: 'there was no room left for files',
	UNAVAILABLE: 'files could not be stored at that moment',
};
export const droppedFile = ({ name, bytes, reason }: DroppedFile) =>
	`${name} (${roughSize(bytes)}), not accepted: ${dropReasons[reason]}`;
export const moreDroppedFiles = (count: number) => `and ${formatCount(count)} more, not accepted`;

export const emptyName = '(empty name)';
export const emptyValue = 'empty';
export const nullValue = 'null';
export const structuredValue = 'Structured value';
export const quoted = (field: string) => `“${field}”`;
export const showAll = (characters: number) => `Show all ${formatCount(characters)} characters`;

export const filesName = 'Files';
export const files = (count: number) => plural(count, 'file');
export const download = 'Download';
export const downloadAll = 'Download all';
export const asZip = 'as ZIP';
export const infected = 'Infected';
export const infectedHint = (mayHave: boolean) =>
	`The virus scanner found something in this file. ${mayHave ? 'It is kept, but not shown.' : 'Only a key with the permission admin can download it.'}`;
export const downloadInfected = 'Download…';
export const downloadInfectedOf = (name: string) => `Download… ${name}`;
export const infectedQuestion = 'Download an infected file?';
export const infectedVerb = 'Download it';
export const infectedWarning = (name: ComponentChildren) =>
	phrase`The virus scanner found something in ${name}. If you open it, it may take over this computer. Only download it if you know how to handle it.`;
export const unchecked = 'Not checked';
export const uncheckedHint = 'The virus scanner has not checked it yet. Be careful with it until then.';
export const notKept =
	'Only its name and size were kept: it came with spam, was deleted by age, or was imported without its bytes.';
export const copyLink = 'Copy link';
export const copyLinkTo = (name: string) => `Copy link to ${name}`;

export const linkTo = (name: string) => `Link to “${name}”`;
export const linkLife = 'How long it works';
export const oneHour = '1 hour';
export const oneDay = '1 day';
export const sevenDays = '7 days';
export const linkHint =
	'Anyone can download the file with it, without a key. It ends with its time, with the file, and with the key or session that made it.';
export const createLink = 'Create link';
export const creatingLink = 'Creating…';
export const linkMade = (until: ComponentChildren) => phrase`Anyone who has it can download the file until ${until}.`;
export const theLink = 'the link';
export const done = 'Done';

export const loadingPicture = 'Loading the picture…';
export const noPicture = 'This does not look like a picture after all. It can be downloaded.';
export const tooManyPixels = (width: number, height: number) =>
	`${formatCount(width)} × ${formatCount(height)} pixels are too many to be shown here. Download it.`;
export const damagedPicture = 'The picture is damaged, or this browser cannot show it. It can be downloaded.';

export const notifications = 'Notifications';
export const noNotifications =
	'None: the form has no notification address and no webhook, or deliveries were withheld.';
export const attempts = (count: number) => plural(count, 'attempt');
export const retry = 'Retry';

export const whySpam = 'Why is this spam?';
export const spamScoreOf = (threshold: number) => ` of ${threshold}`;
export const findings = 'What the rules found';
export const points = 'Points';
export const finding = 'What was found';
export const inAll = 'in all';
export const spamFrom = (threshold: number) => ` · spam from ${threshold}`;
export const markedSpam = 'It was marked as spam by hand.';
export const decided = (meaning: string | undefined, found: string | undefined) =>
	`${meaning} That alone makes it spam${found === undefined ? '' : ` (${found})`}.`;
export const reachesThreshold = (score: number, threshold: number) =>
	`It has ${score} points. This form treats ${threshold} points or more as spam.`;
export const reachedThreshold = (score: number) =>
	`It has ${score} points, which made it spam by the form’s threshold at that time.`;
export const allowed = 'It matches an entry of your allow list, so it is not spam.';
export const markedGenuine = 'It was marked as genuine by hand.';
export const genuineDespiteScore = (score: number) =>
	`It has ${score} points. It was marked as genuine by hand, or the form had a higher threshold when it came.`;
export const noThreshold = (score: number) =>
	`It has ${score} points, and this form treats nothing as spam because of its points.`;
