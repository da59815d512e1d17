/** The headers that every mail has, in the order of their names. */
export const MAIL_HEADERS = [
	'auto-submitted',
	'content-type',
	'date',
	'from',
	'list-id',
	'message-id',
	'mime-version',
	'precedence',
	'subject',
	'to',
	'x-auto-response-suppress',
	'x-entity-ref-id',
];
