/** Sentences of the audit log. */

import type { ComponentChildren } from 'preact';
import { formatCount } from '../../../text/plural.ts';
import { phrase } from './phrase.ts';

export const intro = 'Who changed what, and who took content out. Values that visitors sent are never in it.';
export const noEntries = 'No entries';
export const noEntriesHint =
	'Nothing of this kind was done. Visitors’ submissions and reading in the inbox are not recorded.';

export const action = 'Action';
export const allActions = 'All actions';
export const about = 'About';
export const everything = 'Everything';
export const onlyBy = (actor: ComponentChildren) => phrase`Only by ${actor}.`;
export const showAll = 'Show all';

export const when = 'When';
export const who = 'Who';
export const what = 'What';
export const times = (count: number) => ` (${formatCount(count)} times)`;
export const inForm = (name: ComponentChildren) => phrase` in ${name}`;

/** Actors without a name. */
export const nameless: Record<string, string> = {
	session: 'Setup link',
	link: 'Link to a file',
	server: 'The server',
	unknown: 'Not signed in',
	others: 'Others',
};
export const apiKey = (id: string | null) => `API key ${id}`;
export const user = (id: string | null) => `${id} (command line)`;
