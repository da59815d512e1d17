/** The rules for what advertisements stress: capitals, exclamation marks, sums of money, telephone numbers. */

import { plural } from '../../plural.ts';
import type { SpamReason } from '../verdict.ts';
import { describeDivisor, divisorOf, isAscii, type Message } from './message.ts';

const MIN_LETTERS = 20;
/** Of 100 letters. */
const MANY_CAPITALS = 30;
const MANY_EXCLAMATIONS = 4;
const POINTS_PER_AMOUNT = 0.5;
const MAX_AMOUNT_POINTS = 1.5;
const AMOUNT = /[$£€¥₹]\s?\d|\d\s?(?:[$£€¥₹]|(?:usd|eur|gbp|dollars?|pounds?|euros?)\b|ريال|جنيه|元)/gi;
const NUMBER = /(?<![\w./=&@-])\+?\d[\d \-().]{6,20}\d(?![\w/])/g;
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
	if (number !== undefined && number.length < longest.length)
		reasons.push({ rule: 'number', points: 1, detail: number });
	return reasons;
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
