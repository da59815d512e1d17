/** The title and snippet of a submission in a list, and the widths of columns. */

import { previewText } from './format.ts';
import * as words from './sentences/words.ts';

const MAIL_NAMES = ['email', 'e mail', 'mail', 'your email'];
/** Names of fields as {@link plain} makes them, the best first. */
const TITLE_NAMES = ['name', 'full name', 'fullname', 'your name', 'first name', 'firstname', ...MAIL_NAMES, 'from'];
const ADDRESS = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+\.[^\s@<>"(),:;\\]+$/;

const plain = (name: string) =>
	name
		.toLowerCase()
		.replace(/[_\-\s]+/g, ' ')
		.trim();

/** The value of a submitted field; names such as `constructor` are safe. */
export function fieldValue(data: Record<string, unknown>, name: string): unknown {
	return Object.hasOwn(data, name) ? data[name] : undefined;
}

interface Summary {
	title: string;
	snippet: string;
}

const summaries = new WeakMap<object, Summary>();

/** A title (who) and a snippet (what) from the fields that carry them, else from the first ones. */
export function summarise(data: Record<string, unknown>): Summary {
	// Each part of a row uses it, and renders again with each click.
	const known = summaries.get(data);
	if (known) return known;
	const summary = summaryOf(data);
	summaries.set(data, summary);
	return summary;
}

function summaryOf(data: Record<string, unknown>): Summary {
	const texts = Object.entries(data).map(([name, value]) => ({ name: plain(name), text: previewText(value) }));
	const filled = texts.filter(({ text }) => text !== '');
	const ranked = TITLE_NAMES.map((title) => filled.find(({ name }) => name === title));
	const title = ranked.find((entry) => entry !== undefined) ?? filled[0];
	const rest = filled.filter((entry) => entry !== title).sort((a, b) => b.text.length - a.text.length);
	// No submission is without fields, unless it is damaged.
	return {
		title: title?.text ?? (texts.length > 0 ? words.inbox.noContent : words.inbox.damaged),
		snippet: rest[0]?.text ?? '',
	};
}

/** The reply address, if a mail field holds a single valid one. */
export function replyAddress(data: Record<string, unknown>): string | undefined {
	const value = Object.entries(data).find(([name]) => MAIL_NAMES.includes(plain(name)))?.[1];
	return typeof value === 'string' && value.length <= 254 && ADDRESS.test(value.trim()) ? value.trim() : undefined;
}

type ColumnSize = 'narrow' | 'medium' | 'wide';

const NARROW_BELOW = 16;
const MEDIUM_BELOW = 32;

/** The width class of a table column, by the 90th percentile of the lengths of its values. */
export function columnSize(values: unknown[]): ColumnSize {
	const lengths = values.map((value) => previewText(value).length).sort((a, b) => b - a);
	const typical = lengths[Math.floor(lengths.length / 10)] ?? 0;
	if (typical < NARROW_BELOW) return 'narrow';
	return typical < MEDIUM_BELOW ? 'medium' : 'wide';
}
