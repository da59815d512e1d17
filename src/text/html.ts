/** HTML as text: the one escape function, and a tagged template that escapes its values. */

const MARKUP = Symbol('markup');

/** Text that is known to be HTML. The symbol keeps parsed JSON or form data from passing for markup. */
export interface Html {
	readonly [MARKUP]: string;
}

export type HtmlValue = string | number | bigint | Html | readonly HtmlValue[] | null | undefined | false;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for element content and quoted attribute values; it does not suffice elsewhere in HTML. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Declares text to be HTML already. Only for trusted text. */
export function rawHtml(markup: string): Html {
	return { [MARKUP]: markup };
}

export function renderHtml(html: Html): string {
	return html[MARKUP];
}

/** Builds HTML; values are escaped unless they are HTML themselves, lists are joined, `null`, `undefined` and `false` are left out. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
	return rawHtml(strings.reduce((text, part, index) => text + renderValue(values[index - 1]) + part));
}

function renderValue(value: HtmlValue): string {
	if (value === null || value === undefined || value === false) return '';
	if (typeof value !== 'object') return escapeHtml(String(value));
	if (MARKUP in value) return renderHtml(value);
	return value.map(renderValue).join('');
}
