/** Pure: what is kept of a mail that was sent, bounded. */

import { KEPT_MAX_BYTES } from './bounds.ts';
import type { Content } from './channel.ts';
import type { Mail } from './email.ts';

/** To show; with the HTML part, which says nothing that the text does not, at many times the size. */
export function shownMail({ from, to, replyTo, subject, messageId, text, html }: Mail): Content & { html: string } {
	return { from, to, replyTo, subject, messageId, text, html };
}

/** JSON text of all but the HTML part; of a long text the beginning, and then `isCut` is true. */
export function keptMail(mail: Mail): string {
	const { html: _, ...whole } = shownMail(mail);
	const kept = JSON.stringify(whole);
	if (Buffer.byteLength(kept) <= KEPT_MAX_BYTES) return kept;
	const without = JSON.stringify({ ...whole, text: '', isCut: true });
	const text = beginningWithin(mail.text, KEPT_MAX_BYTES - Buffer.byteLength(without));
	return JSON.stringify({ ...whole, text, isCut: true });
}

/** So much of a text that its JSON has at most so many bytes, its quotes left out. */
function beginningWithin(text: string, maxBytes: number): string {
	let end = Math.min(text.length, maxBytes);
	for (;;) {
		const beginning = text.slice(0, end).replace(/[\ud800-\udbff]$/, '');
		const bytes = Buffer.byteLength(JSON.stringify(beginning)) - 2;
		if (bytes <= maxBytes) return beginning;
		end = Math.floor((end * maxBytes) / bytes);
	}
}
