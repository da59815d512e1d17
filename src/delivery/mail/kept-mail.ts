/** Pure: the bounded record of a sent mail. */

import { withoutHalf } from '../../text/cut-text.ts';
import type { Mail } from './email.ts';

/** Bytes of a sent mail that are stored: its submission is stored whole anyway. */
const KEPT_MAX_BYTES = 20_000;

/** The whole mail to show, including its HTML part. */
export function shownMail({ date: _, headers: __, attachments: ___, ...shown }: Mail) {
	return shown;
}

/** JSON text without the HTML part, which only repeats the text. A long text is cut, and `isCut` set. */
export function keptMail(mail: Mail): string {
	const { html: _, ...whole } = shownMail(mail);
	const kept = JSON.stringify(whole);
	if (Buffer.byteLength(kept) <= KEPT_MAX_BYTES) return kept;
	const without = JSON.stringify({ ...whole, text: '', isCut: true });
	const text = beginningWithin(mail.text, KEPT_MAX_BYTES - Buffer.byteLength(without));
	return JSON.stringify({ ...whole, text, isCut: true });
}

/** The longest beginning whose JSON has at most `maxBytes` without its quotes. */
function beginningWithin(text: string, maxBytes: number): string {
	let end = Math.min(text.length, maxBytes);
	for (;;) {
		const beginning = withoutHalf(text.slice(0, end));
		const bytes = Buffer.byteLength(JSON.stringify(beginning)) - 2;
		if (bytes <= maxBytes) return beginning;
		end = Math.floor((end * maxBytes) / bytes);
	}
}
