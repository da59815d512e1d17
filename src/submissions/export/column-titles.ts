/** Pure: the columns of an export besides fields, as people call them. For browsers too. */

import { columnOfWords, FLAGS, mapFlags, OWN_WORDS } from '../../storage/owned.ts';
import { capitalised } from '../../text/capitalised.ts';

const { isRead, isStarred, isSpam, ...laterFlags } = mapFlags((name) => capitalised(FLAGS[name][0]));

export const COLUMN_TITLES: Record<string, string> = {
	createdAt: 'Received',
	isRead,
	isStarred,
	isSpam,
	confirmedAt: 'Confirmed',
	spamScore: 'Spam score',
	spamReasons: 'Spam reasons',
	meta: 'Context',
	attachedFiles: 'Attached files',
	id: 'Id',
	...laterFlags,
	...Object.fromEntries(OWN_WORDS.map((name) => [columnOfWords(name), capitalised(name)])),
	otherFields: 'Other fields',
};
