/** Sentences of the inbox: its toolbar, its rows, the bar for many of them, and what its actions report. */

import type { ComponentChildren } from 'preact';
import { type FlagName, WORD_CRITERIA, type WordList } from '../../../storage/owned.ts';
import { capitalised } from '../../../text/capitalised.ts';
import { formatCount, plural } from '../../../text/plural.ts';
import type { Tab } from '../router.ts';
import { phrase } from './phrase.ts';

export const submissions = 'Submissions';
export const hasArrived = (form: string | undefined) => `A new submission has arrived in ${form ?? 'this form'}.`;
export const arrivals = (count: number) => plural(count, 'new submission');

export const filter = 'Filter';
export const filters: Record<Tab, string> = {
	all: 'All',
	unread: 'Unread',
	starred: 'Starred',
	spam: 'Spam',
	pending: 'Unconfirmed',
	archived: 'Archived',
};
export const wordList = ({ name }: WordList) => capitalised(name);
export const views = 'Views';
export const viewIs = (name: string) => `View: ${name}`;
export const viewName = 'Name of the view';
export const saveView = 'Save this view';
export const removeView = (name: string) => `Remove the view ${name}`;
export const wordIs = ({ one }: WordList, word: string) => `${capitalised(one)}: ${word}`;
export const anyWord = ({ one }: WordList) => `Any ${one}`;
export const search = 'Search';
export const searchSubmissions = 'Search submissions';
export const dates = 'Dates';
export const datesAre = 'Dates: ';
export const datesFromTo = (from: string, to: string) => `${from || '…'} – ${to || '…'}`;
export const anyTime = 'Any time';
export const found = (count: number) => `${formatCount(count)} found`;
export const clear = 'Clear';

export const unreadRow = 'Unread: ';
export const starred = 'Starred';
export const received = 'Received';
export const select = (what: string) => `Select ${what}`;
export const thisPage = 'this page';
export const starOf = (title: string) => `Star ${title}`;
export const spamScore = (score: number) => `Spam score ${score}`;
export const files = (count: number, isInfected: boolean) =>
	`${plural(count, 'file')}${isInfected ? ', infected' : ''}`;
export const noContent = 'No content';
export const damaged = 'Damaged';

/** The buttons of flags. */
export const flags: Record<FlagName, [set: string, unset: string]> = {
	isRead: ['Mark read', 'Mark unread'],
	isStarred: ['Star', 'Unstar'],
	isSpam: ['Spam', 'Not spam'],
	isArchived: ['Archive', 'Move to the inbox'],
};
const changes: Record<FlagName, [on: string, off: string]> = {
	isRead: ['marked as read', 'marked as unread'],
	isStarred: ['starred', 'unstarred'],
	isSpam: ['moved to spam', 'moved to the inbox'],
	isArchived: ['archived', 'back in the inbox'],
};
export const changed = (count: number, flag: FlagName, isOn: boolean) =>
	`${plural(count, 'submission')} ${changes[flag][isOn ? 0 : 1]}.`;
export const genuine = 'Genuine';
export const remove = 'Delete';

export const selectedSubmissions = 'Selected submissions';
export const selected = (count: number) => `${formatCount(count)} selected`;
export const allSelected = (count: number) => `All ${formatCount(count)} selected`;
export const selectAll = (count: number) => `Select all ${formatCount(count)}`;
export const clearSelection = 'Clear selection';
export const removeQuestion = (count: number) => `Delete ${plural(count, 'submission')}?`;
export const removeAll = 'Delete all';
export const removeWord = 'delete';
export const removeWarning =
	'Every submission that matches the current filter and search will be deleted, with its files. A search also finds parts of words. This cannot be undone.';

export const nothingFound = 'Nothing found';
export const nothingFoundHint = `No submission here matches these words, dates and ${WORD_CRITERIA.join(' and ')}. Parts of words match, too.`;
export const clearSearch = 'Clear the search';
export const allRead = 'All read';
export const nothingStarred = 'Nothing starred';
export const nothingStarredHint = (key: ComponentChildren) =>
	phrase`Star what you want to come back to: ${key} on an open submission.`;
export const nothingArchived = 'Nothing archived';
export const nothingArchivedHint = (key: ComponentChildren) =>
	phrase`Archive what is done: ${key} on an open submission takes it out of the inbox.`;
export const allArchived = 'All archived';
export const noSpam = 'No spam';
export const noSpamHint =
	'Submissions that fill in the honeypot or fail the captcha appear here, without a notification.';
export const nothingPending = 'Nothing waits for a confirmation';
export const nothingPendingHint =
	'Submissions are here until their visitor opens the link in a mail, or for seven days. No notification is sent before.';
export const waiting = 'Waiting for the first submission';
export const waitingPaused = 'This form is paused: it rejects submissions until you activate it in its settings.';
export const waitingHint = 'Put the form on a website; submissions appear here as they arrive.';
export const connect = 'Connect a website';

export const markedGenuine = (count: number) => `${plural(count, 'submission')} marked as genuine.`;
export const removed = (count: number, filesOfThem = 0) =>
	`${plural(count, 'submission')} deleted${filesOfThem > 0 ? `, with ${plural(filesOfThem, 'file')}` : ''}.`;
export const undo = 'Undo';
export const sendNotifications = 'Send notifications';
export const notificationsSent = 'The withheld notifications are on their way.';
