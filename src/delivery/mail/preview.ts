/** How the content of a mail is shown: in examples, and as a page. */

export const EXAMPLE_CONTENT = {
	from: { name: 'Forms', address: 'forms@example.com' },
	to: ['owner@example.com'],
	cc: [],
	bcc: [],
	replyTo: 'ada@example.com',
	subject: 'New submission: Contact',
	messageId: 'cmnrg2x8a1c@forms.example.com',
	text: 'New submission\nContact\n\nname:\nAda\n',
};
/** The mail is shown unchanged in a sandbox: no scripts, no loading, no navigation. */
export const PREVIEW_HEADERS = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
};
