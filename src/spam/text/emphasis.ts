/** The rules for what advertisements stress: capitals, exclamation marks, sums of money, telephone numbers. */

import { plural } from '../../text/plural.ts';
import type { SpamReason } from '../verdict.ts';
import { describeDivisor, divisorOf, type Message } from './message.ts';

const MIN_LETTERS = 20;
/** Percentage of letters. */
const MANY_CAPITALS = 30;
const MANY_EXCLAMATIONS = 4;
const POINTS_PER_AMOUNT = 0.5;
const MAX_AMOUNT_POINTS = 1.5;
const AMOUNT = /[$£€¥₹]\s?\d|\d\s?(?:[$£€¥₹]|(?:usd|eur|gbp|dollars?|pounds?|euros?)\b|ريال|جنيه|元)/gi;
const NUMBER = /\+?\d[\d \-().]{6,20}\d(?![\w/])/g;
/** Before a number these make it a part of something else. A look-behind would do the same, many times as slowly. */
const WITHIN = /[\w./=&@-]/;
/** People say so of their own number, and it says nothing against them. */
const CALL_ME =
	/\b(?:rufen? sie (?:mich|uns)|ruft? (?:mich|uns)|(?:mich|uns|ich bin|wir sind)\b.{0,30}\bunter|(?:meine|unsere) (?:telefon|handy|mobil)?nummer|call me|ring me|phone me|text me|reach me|my (?:phone |mobile |cell )?number|(?:r?appelez|joindre|contactez)[ -](?:moi|nous)|(?:me|nous) (?:r?appeler|joindre|contacter)|mon (?:numéro|portable|téléphone)|ll[aá]m[ea]me|me (?:llame|llaman|puede llamar)|mi (?:número|teléfono|móvil|celular))\b/i;
const AROUND_NUMBER = 60;
const MIN_DIGITS = 9;
/** A number that stands by itself is an answer to a question for it. */
const WORDS_AROUND_NUMBER = 8;

export function judgeEmphasis(message: Message): SpamReason[] {
	const { text, longest, count, letters, capitals, exclamations } = message;
	const reasons: SpamReason[] = [];
	const share = letters === 0 ? 0 : Math.round((capitals / letters) * 100);
	if (letters >= MIN_LETTERS && share > MANY_CAPITALS) {
		reasons.push({ rule: 'capitals', points: 1, detail: `${share} % of ${letters} letters` });
	}
	if (exclamations >= MANY_EXCLAMATIONS) {
		reasons.push({ rule: 'exclamations', points: 0.5, detail: plural(exclamations, 'exclamation mark') });
	}
	const amounts = message.hasSums ? (text.match(AMOUNT)?.length ?? 0) : 0;
	if (amounts > 0) {
		const divided = (amounts * POINTS_PER_AMOUNT) / divisorOf(count);
		const points = Math.min(MAX_AMOUNT_POINTS, Math.round(divided * 10) / 10);
		const bound = divided > MAX_AMOUNT_POINTS ? `, at most ${MAX_AMOUNT_POINTS}` : '';
		const detail = `${plural(amounts, 'sum')} of money, ${POINTS_PER_AMOUNT} each${bound}${describeDivisor(count)}`;
		if (points > 0) reasons.push({ rule: 'amounts', points, detail });
	}
	const number = count >= WORDS_AROUND_NUMBER && message.digits >= MIN_DIGITS ? findNumber(longest) : undefined;
	if (number !== undefined && number.length < longest.length && !isOwn(number, longest))
		reasons.push({ rule: 'number', points: 1, detail: number });
	return reasons;
}

/** Returns whether the number is the one to call the sender back. */
function isOwn(number: string, text: string): boolean {
	const at = text.indexOf(number);
	return CALL_ME.test(text.slice(Math.max(0, at - AROUND_NUMBER), at + number.length + AROUND_NUMBER));
}

function findNumber(text: string): string | undefined {
	NUMBER.lastIndex = 0;
	for (let found = NUMBER.exec(text); found; found = NUMBER.exec(text)) {
		const [number] = found;
		if (found.index > 0 && WITHIN.test(text.charAt(found.index - 1))) NUMBER.lastIndex = found.index + 1;
		else if (isLong(number)) return number;
	}
	return undefined;
}

function isLong(number: string): boolean {
	return number.replace(/\D/g, '').length >= MIN_DIGITS;
}
