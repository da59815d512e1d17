/** Which of a submission's fields stand for it in a narrow list. */

import { previewText } from './format.ts';

const TITLE_NAMES = [
	'name',
	'full name',
	'fullname',
	'your name',
	'first name',
	'firstname',
	'email',
	'e-mail',
	'mail',
	'from',
];
const ADDRESS = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+\.[^\s@<>"(),:;\\]+$/;

const plain = (name: string) =>
	name
		.toLowerCase()
		.replace(/[_\-\s]+/g, ' ')
		.trim();

/** The value of a field; a name such as `constructor` finds nothing but what was sent. */
export function fieldValue(data: Record<string, unknown>, name: string): unknown {
	return Object.hasOwn(data, name) ? data[name] : undefined;
}

export interface Summary {
	title: string;
	snippet: string;
}

const summaries = new WeakMap<object, Summary>();

/** A title (who) and a snippet (what) from the fields that carry them, else from the first ones. */
export function summarise(data: Record<string, unknown>): Summary {
	// The parts of a row all name it, and are drawn again with every click.
	const known = summaries.get(data);
	if (known) return known;
	const summary = summaryOf(data);
	summaries.set(data, summary);
	return summary;
}

function summaryOf(data: Record<string, unknown>): Summary {
	const texts = Object.entries(data).map(([name, value]) => ({ name: plain(name), text: previewText(value) }));
	const filled = texts.filter(({ text }) => text !== '');
	const ranked = TITLE_NAMES.map((wanted) => filled.find(({ name }) => name === wanted));
	const title = ranked.find((entry) => entry !== undefined) ?? filled[0];
	const rest = filled.filter((entry) => entry !== title).sort((a, b) => b.text.length - a.text.length);
	return { title: title?.text ?? 'No content', snippet: rest[0]?.text ?? '' };
}

/** The address a reply goes to, if a field named like one holds a single valid address. */
export function replyAddress(data: Record<string, unknown>): string | undefined {
	const value = Object.entries(data).find(([name]) =>
		['email', 'e mail', 'mail', 'your email'].includes(plain(name)),
	)?.[1];
	return typeof value === 'string' && value.length <= 254 && ADDRESS.test(value.trim()) ? value.trim() : undefined;
}
