/** The rules for what advertisements stress: capitals, exclamation marks, sums of money, telephone numbers. */

import { plural } from '../../text/plural.ts';
import type { SpamReason } from '../verdict.ts';
import { describeDivisor, divisorOf, isAscii, type Message } from './message.ts';

const MIN_LETTERS = 20;
/** Percentage of letters. */
const MANY_CAPITALS = 30;
const MANY_EXCLAMATIONS = 4;
const POINTS_PER_AMOUNT = 0.5;
const MAX_AMOUNT_POINTS = 1.5;
const AMOUNT = /[$£€¥₹]\s?\d|\d\s?(?:[$£€¥₹]|(?:usd|eur|gbp|dollars?|pounds?|euros?)\b|ريال|جنيه|元)/gi;
const NUMBER = /(?<![\w./=&@-])\+?\d[\d \-().]{6,20}\d(?![\w/])/g;
/** People say so of their own number, and it says nothing against them. */
const CALL_ME =
	/\b(?:rufen? sie (?:mich|uns)|ruft? (?:mich|uns)|(?:mich|uns|ich bin|wir sind)\b.{0,30}\bunter|(?:meine|unsere) (?:telefon|handy|mobil)?nummer|call me|ring me|phone me|text me|reach me|my (?:phone |mobile |cell )?number|(?:r?appelez|joindre|contactez)[ -](?:moi|nous)|(?:me|nous) (?:r?appeler|joindre|contacter)|mon (?:numéro|portable|téléphone)|ll[aá]m[ea]me|me (?:llame|llaman|puede llamar)|mi (?:número|teléfono|móvil|celular))\b/i;
const AROUND_NUMBER = 60;
const MIN_DIGITS = 9;
/** A number that stands by itself is an answer to a question for it. */
const WORDS_AROUND_NUMBER = 8;

export function judgeEmphasis({ text, longest, count }: Message): SpamReason[] {
	const reasons: SpamReason[] = [];
	const { letters, capitals } = countLetters(text);
	const share = letters === 0 ? 0 : Math.round((capitals / letters) * 100);
	if (letters >= MIN_LETTERS && share > MANY_CAPITALS) {
		reasons.push({ rule: 'capitals', points: 1, detail: `${share} % of ${letters} letters` });
	}
	const exclamations = text.split('!').length - 1;
	if (exclamations >= MANY_EXCLAMATIONS) {
		reasons.push({ rule: 'exclamations', points: 0.5, detail: plural(exclamations, 'exclamation mark') });
	}
	const amounts = text.match(AMOUNT)?.length ?? 0;
	if (amounts > 0) {
		const divided = (amounts * POINTS_PER_AMOUNT) / divisorOf(count);
		const points = Math.min(MAX_AMOUNT_POINTS, Math.round(divided * 10) / 10);
		const bound = divided > MAX_AMOUNT_POINTS ? `, at most ${MAX_AMOUNT_POINTS}` : '';
		const detail = `${plural(amounts, 'sum')} of money, ${POINTS_PER_AMOUNT} each${bound}${describeDivisor(count)}`;
		if (points > 0) reasons.push({ rule: 'amounts', points, detail });
	}
	const number = count >= WORDS_AROUND_NUMBER ? longest.match(NUMBER)?.find(isLong) : undefined;
	if (number !== undefined && number.length < longest.length && !isOwn(number, longest))
		reasons.push({ rule: 'number', points: 1, detail: number });
	return reasons;
}

/** Returns whether the number is the one to call the sender back. */
function isOwn(number: string, text: string): boolean {
	const at = text.indexOf(number);
	return CALL_ME.test(text.slice(Math.max(0, at - AROUND_NUMBER), at + number.length + AROUND_NUMBER));
}

function countLetters(text: string): { letters: number; capitals: number } {
	if (!isAscii(text)) {
		return { letters: text.match(/\p{L}/gu)?.length ?? 0, capitals: text.match(/\p{Lu}/gu)?.length ?? 0 };
	}
	let small = 0;
	let capitals = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code >= 0x61 && code <= 0x7a) small++;
		else if (code >= 0x41 && code <= 0x5a) capitals++;
	}
	return { letters: small + capitals, capitals };
}

function isLong(number: string): boolean {
	return number.replace(/\D/g, '').length >= MIN_DIGITS;
}
