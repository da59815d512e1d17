/** Sentences of buttons, dialogs and messages that every view has, and labels that mean the same in several. */

import { formatCount } from '../../../text/plural.ts';

export const loading = 'Loading';
export const notLoaded = 'This could not be loaded';
export const tryAgain = 'Try again';
export const somethingWrong = 'Something went wrong.';
export const toBeCorrected = (what: string) => `Some ${what} need to be corrected.`;
/** An input without a value is empty; programs send `null` for it. */
export const forPeople = (fault: string) => fault.replace(' or null', ', or empty');
export const faultOfValue = (value: string | undefined) => (value === undefined ? 'This' : `“${value}”`);

export const close = 'Close';
export const cancel = 'Cancel';
export const discard = 'Discard';
export const discardQuestion = 'Discard what you have typed?';
export const discardWarning = 'It is not stored yet.';
export const saving = 'Saving…';
export const typeToConfirm = (what: string) => `Type “${what}” to confirm`;
export const stored = 'I have stored it';

export const copyIt = 'Copy';
export const isCopied = 'Copied';
export const copyOf = (what: string) => `Copy ${what}`;
export const copied = (what: string) => `Copied ${what}.`;
export const cannotCopy = 'Copying is not possible here. Please select the text and copy it.';

export const messages = 'Messages';
export const dismiss = 'Dismiss';

export const pages = 'Pages';
export const rowsOf = (from: number, to: number, total: number) =>
	`${formatCount(from)}–${formatCount(to)} of ${formatCount(total)}`;
export const previousPage = 'Previous page';
export const nextPage = 'Next page';

export const state = 'State';
export const created = 'Created';
export const active = 'Active';
export const paused = 'Paused';
export const sending = 'Sending…';
export const send = 'Send';
export const name = 'Name';
export const form = 'Form';
export const mailFrom = 'From';
export const mailTo = 'To';
export const replyTo = 'Reply to';
export const subject = 'Subject';
export const mailAsItLooks = 'The mail as it looks';
export const fromDay = 'From';
export const toDay = 'To';
export const columns = 'Columns';
export const exportThem = 'Export';
export const posted = 'What is posted';
