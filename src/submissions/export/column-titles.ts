/** Pure: the columns of an export besides fields, as people call them. For browsers too. */

export const COLUMN_TITLES: Record<string, string> = {
	createdAt: 'Received',
	isRead: 'Read',
	isStarred: 'Starred',
	isSpam: 'Spam',
	confirmedAt: 'Confirmed',
	spamScore: 'Spam score',
	spamReasons: 'Spam reasons',
	meta: 'Context',
	attachedFiles: 'Attached files',
	id: 'Id',
	isArchived: 'Archived',
	ownerLabels: 'Labels',
	ownerNote: 'Note',
	otherFields: 'Other fields',
};
