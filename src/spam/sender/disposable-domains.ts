/** The list of disposable mail domains in the program: so long that it stays the sorted text that it is, and is loaded by the first address. */

import list from 'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json' with { type: 'text' };

const text = list as unknown as string;

/** Returns whether the list has a domain: a binary search in its lines, such as `  "example.com",`. */
export function isDisposable(domain: string): boolean {
	let from = text.indexOf('"');
	let to = text.lastIndexOf('"');
	while (from < to) {
		const line = Math.max(from, text.lastIndexOf('\n', (from + to) >> 1));
		const start = text.indexOf('"', line) + 1;
		const end = text.indexOf('"', start);
		const known = text.slice(start, end);
		if (known === domain) return true;
		if (known < domain) from = end + 1;
		else to = line;
	}
	return false;
}
