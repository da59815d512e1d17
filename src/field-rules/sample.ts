/** Pure: values that keep to field rules, to try a form with. For browsers. */

import { parsePattern, type Syntax } from './pattern-syntax.ts';
import type { FieldRule } from './rules.ts';

/** Characters to choose from, those first that read well. */
const CHARACTERS = ['a', 'A', '1', ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)), 'é', '你'];

/** A value for a field; `undefined` if none was found, as for files and some patterns. */
export function sampleOf(rule: FieldRule): string | undefined {
	const { type, min, max, options, pattern, minLength = 0 } = rule;
	if (options) return options[0];
	if (type === 'number') return `${min ?? Math.min(1, Number(max ?? 1))}`;
	if (type === 'date') return `${min ?? max ?? '2030-01-31'}`;
	if (type === 'checkbox') return 'on';
	if (type === 'file') return undefined;
	const usual = usualText(rule);
	if (pattern === undefined) return keeps(usual, rule) ? usual : undefined;
	try {
		const whole = new RegExp(`^(?:${pattern})$`, 'v');
		const syntax = parsePattern(pattern);
		const texts = [usual, ...[0, 1, minLength].map((least) => textFor(syntax, least))];
		return texts.find((text) => whole.test(text) && keeps(text, rule));
	} catch {
		// A pattern that is not understood does not restrict the value.
		return usual;
	}
}

function usualText({ name, type, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: FieldRule): string {
	if (type === 'email') return (maxLength < 15 ? 'a@b.co' : 'ada@example.com').padStart(minLength, 'a');
	if (type === 'url') return (maxLength < 19 ? 'http://a' : 'https://example.com').padEnd(minLength, '/');
	if (type === 'tel') return '+1 555 0100'.padEnd(minLength, '0').slice(0, maxLength);
	return (/name/i.test(name) ? 'Ada' : 'Hello').padEnd(minLength, '.').slice(0, maxLength);
}

function keeps(text: string, { type, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: FieldRule) {
	if (text.length < minLength || text.length > maxLength) return false;
	if (type === 'email') return /^[^\s@]+@[^\s@]+$/.test(text);
	return type !== 'url' || URL.canParse(text);
}

/** A text that may match: of choices the first, of repetitions the fewest, but `least` where there may be so many. */
function textFor(syntax: Syntax, least: number): string {
	switch (syntax.kind) {
		case 'set':
			return characterOf(syntax.atom);
		case 'boundary':
			return '';
		case 'sequence':
			return syntax.parts.map((part) => textFor(part, least)).join('');
		case 'choice':
			return textFor(syntax.options[0] as Syntax, least);
		case 'repeat':
			return textFor(syntax.part, least).repeat(Math.min(syntax.max, Math.max(syntax.min, least)));
	}
}

function characterOf(atom: string): string {
	const one = new RegExp(`^${atom}$`, 'v');
	return CHARACTERS.find((character) => one.test(character)) ?? '';
}
