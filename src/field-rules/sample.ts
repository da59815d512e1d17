/** Pure: values that keep to field rules, to try a form with. For browsers. */

import type { FieldRule } from './rules.ts';

const QUANTIFIER = /([*+?]|\{(\d+)(,?)\d*\})\??/y;
const ATOM = /\[(?:\\.|\[(?:\\.|[^\]])*\]|[^\]])*\]|\\u\{[^}]*\}|\\u....|\\x..|\\[pP]\{[^}]*\}|\\?./suy;
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>)?/y;
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
		const texts = [usual, ...[0, 1, minLength].map((more) => textFor(pattern, more))];
		return texts.find((text) => whole.test(text) && keeps(text, rule));
	} catch {
		// An invalid pattern does not restrict the value.
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

/** A text for a pattern, which may fit: of choices the first, of repetitions the fewest, and `more` if there may be any. */
function textFor(source: string, more: number): string {
	let at = 0;

	const take = (expression: RegExp): RegExpExecArray | null => {
		expression.lastIndex = at;
		const found = expression.exec(source);
		if (found) at = expression.lastIndex;
		return found;
	};

	function readChoice(): string {
		const first = readSequence();
		while (source[at] === '|') {
			at++;
			readSequence();
		}
		return first;
	}

	function readSequence(): string {
		let text = '';
		while (at < source.length && source[at] !== '|' && source[at] !== ')') {
			const part = readPart();
			const [, sign, least, comma] = take(QUANTIFIER) ?? [];
			const fewest = Number(least ?? (sign === undefined || sign === '+' ? 1 : 0));
			const isOpen = sign === '+' || sign === '*' || comma === ',';
			text += part.repeat(isOpen ? Math.max(fewest, more) : fewest);
		}
		return text;
	}

	function readPart(): string {
		if (take(GROUP)) {
			const inside = readChoice();
			at++;
			return inside;
		}
		const [atom = ''] = take(ATOM) ?? [];
		if (/^(?:[$^]|\\[bB])$/.test(atom)) return '';
		const one = new RegExp(`^${atom}$`, 'v');
		return CHARACTERS.find((character) => one.test(character)) ?? '';
	}

	return readChoice();
}
