/** Sentences of the list of forms. */

import { plural } from '../../../text/plural.ts';

export const testIntro = 'Test forms work like live ones, but their mails and webhooks are captured instead of sent.';
export const noForms = 'No forms yet';
export const noTestForms = 'No test forms yet';
export const noFormsHint =
	'Name one above. You get an address that any website can post to, and snippets to copy; what people send arrives here while you watch.';
export const notForReading = 'Forms are not shown with this key';
export const notForReadingHint = 'It may not read them.';

export const newForm = 'New form';
export const newName = 'Name of the new form';
export const newNameHint = 'Name of a new form';
export const noName = 'Give the form a name, such as “Contact”.';
export const create = 'Create form';

export const lastDays = (days: number) => `Last ${days} days`;
export const inLastDays = (count: number, days: number) => `${plural(count, 'submission')} in the last ${days} days`;
export const today = 'Today (UTC)';
export const unread = 'Unread';
export const all = 'All';
export const spam = 'Spam';
export const failed = 'Failed deliveries';
export const atLeast = (count: string) => `${count}+`;
export const files = 'Files';

export const notOpenYet = 'Not open yet';
export const closed = 'Closed';
export const full = 'Full';
export const opens = (when: string) => `opens ${when}`;
export const closes = (when: string) => `closes ${when}`;
export const placesLeft = (count: number) => `${plural(count, 'place')} left`;
