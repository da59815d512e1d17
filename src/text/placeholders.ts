/** Pure: `{{name}}` in texts of owners, checked when they are saved and filled in when they are sent. There is no logic. */

import { withoutHalf } from './cut-text.ts';

/** The placeholders that are no fields. */
export const OWN_PLACEHOLDERS = [
	'form.name',
	'submission.event',
	'submission.id',
	'submission.url',
	'submission.createdAt',
] as const;
type OwnPlaceholder = (typeof OWN_PLACEHOLDERS)[number];

export type PlaceholderValues = Partial<Record<OwnPlaceholder, string>> & {
	/** The last of one name counts. */
	fields?: readonly { name: string; text: string }[];
};

interface FillBounds {
	/** Characters of one value; the rest is left out. */
	valueMax: number;
	/** Characters of the whole text; the rest is left out. */
	totalMax: number;
}

const NAME_MAX = 256;
const PLACEHOLDER = /\{\{([^{}]{1,256})\}\}/g;
const LOGIC = /^\s*(?:[#/^>!&=]|else\s*$)/;

/** The names in a text, in their order, trimmed. */
export function placeholdersIn(text: string): string[] {
	return Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name.trim());
}

/** The end of a sentence that says what is wrong with a text, such as “must not …”; `undefined` if nothing is. */
export function placeholderProblem(text: string): string | undefined {
	const names = placeholdersIn(text);
	if (names.length < text.split('{{').length - 1) {
		return `must have placeholders as {{field}}, with a name of 1 to ${NAME_MAX} characters without braces`;
	}
	for (const name of names) {
		if (name === '') return 'must not have an empty placeholder: write the name of a field, as {{email}}';
		if (LOGIC.test(name)) return `must not have logic such as {{${name}}}: {{field}} alone is filled in`;
		if (/^(?:form|submission)\./.test(name) && !isOwn(name)) {
			return `must not have {{${name}}}: besides fields there are ${OWN_PLACEHOLDERS.map((own) => `{{${own}}}`).join(', ')}`;
		}
	}
	return undefined;
}

/**
 * Fills each placeholder in, once: braces in a value stay text. A field that was not submitted leaves nothing. The values are
 * untrusted, and stay as they came: the caller escapes the text for its place.
 */
export function fillPlaceholders(text: string, values: PlaceholderValues, { valueMax, totalMax }: FillBounds): string {
	const fields = new Map(values.fields?.map(({ name, text: value }) => [name, value]));
	const textOf = (name: string) => (isOwn(name) ? values[name] : fields.get(name)) ?? '';
	let filled = '';
	let at = 0;
	for (const match of text.matchAll(PLACEHOLDER)) {
		filled += text.slice(at, match.index) + beginning(textOf(match[1]?.trim() ?? ''), valueMax);
		at = match.index + match[0].length;
		if (filled.length > totalMax) return beginning(filled, totalMax);
	}
	return beginning(filled + text.slice(at), totalMax);
}

/** Does not end in half of a pair. */
function beginning(text: string, max: number): string {
	return text.length <= max ? text : withoutHalf(text.slice(0, max));
}

function isOwn(name: string): name is OwnPlaceholder {
	return (OWN_PLACEHOLDERS as readonly string[]).includes(name);
}
