/** Pure: the values by which submissions of a form have to differ, as people compare them. */

import { decimalOf } from '../text/decimal.ts';
import { withAsciiDomain } from '../text/email-address.ts';
import { exactText, parseExact } from '../text/exact-json.ts';
import { normalized } from '../text/normalized.ts';
import { parseUrl } from '../text/web-address.ts';
import { dateOrder, type FieldRule, numberOf } from './rules.ts';

/** Digits that a number keeps when it is read. */
const EXACT_DIGITS = 15;

export const uniqueRules = (rules: readonly FieldRule[] | null): FieldRule[] =>
	(rules ?? []).filter(({ unique }) => unique);

/**
 * The compared values of a submission, with their rules. A field that is empty or left out has none; nor has one with several
 * values, which a submission had that came before the rule.
 * @param data Its JSON text.
 */
export function uniqueTexts(rules: readonly FieldRule[], data: string): (readonly [rule: FieldRule, text: string])[] {
	const values = parseExact(data) as Record<string, unknown>;
	return rules.flatMap((rule) => {
		const value = Object.hasOwn(values, rule.name) ? values[rule.name] : null;
		const texts = (Array.isArray(value) ? value : [value]).map((one) => comparedText(rule, exactText(one)));
		const [text, ...others] = texts.filter((one) => one !== '');
		return text !== undefined && others.length === 0 ? [[rule, text] as const] : [];
	});
}

/** Empty if nothing can be seen of a value, which is none then. */
export function comparedText({ type }: FieldRule, value: string): string {
	const folded = fold(value);
	if (type === 'number') return comparedNumber(folded);
	if (type === 'date') return dateOrder(folded) ?? folded;
	if (type === 'email') return withAsciiDomain(folded);
	if (type === 'url') return parseUrl(value)?.href ?? folded;
	// Letters may stand for digits.
	if (type === 'tel' && !/\p{L}/u.test(folded)) return folded.replace(/[^\p{Nd}+]/gu, '').replace(/^00/, '+') || folded;
	return folded;
}

/** Its value with all digits, but for zeros at its ends. */
function comparedNumber(text: string): string {
	const number = numberOf(text);
	if (number === undefined) return text;
	const { digits, exponent } = decimalOf(text);
	if (digits.length <= EXACT_DIGITS) return `${number}`;
	return `${text.startsWith('-') ? '-' : ''}${digits}e${exponent}`;
}

/** Without what people do not see: case, kinds of space and characters, space around, characters of no width. */
function fold(text: string): string {
	const compatible = normalized(normalized(text, 'NFKC').toUpperCase().toLowerCase(), 'NFKC');
	return compatible
		.replace(/\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc}/gu, '')
		.replace(/\s+/g, ' ')
		.trim();
}
