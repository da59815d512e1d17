/** Pure: web addresses in what was sent, as browsers read them. For browsers too. */

/** Before the host, with the controls and blanks that parsers pass over. */
const TO_HOST = /^[\0- ]*(?:https?|wss?|ftp|file):[\\/]*/i;
const HOST_END = /[\\/?#]|$/;
/** With a user and a password. No host is so long, and parsers take the square of the length of one that is not in ASCII. */
const HOST_MAX = 1000;

/** `null` for everything else. */
export function parseUrl(text: string): URL | null {
	const plain = text.replace(/[\t\n\r]/g, '');
	const start = TO_HOST.exec(plain)?.[0].length;
	const isTooLong = start !== undefined && plain.slice(start, start + HOST_MAX + 1).search(HOST_END) > HOST_MAX;
	return isTooLong ? null : URL.parse(text);
}
