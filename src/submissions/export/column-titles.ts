/** Pure: the columns of an export besides fields, as people call them. For browsers too. */

import { capital, columnOfWords, FLAGS, mapFlags, TEXT_NAMES } from '../../storage/owned.ts';

const { isRead, isStarred, isSpam, ...laterFlags } = mapFlags((name) => capital(FLAGS[name][0]));

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
	...Object.fromEntries((['labels', ...TEXT_NAMES] as const).map((name) => [columnOfWords(name), capital(name)])),
	otherFields: 'Other fields',
};
