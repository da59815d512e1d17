/** The rule for scripts: letters of two scripts in one word, and a message in another script than the form usually gets. */

import type { SpamReason } from '../verdict.ts';
import { isAscii, type Message } from './message.ts';

/** Those that are told apart; Japanese and Korean are written with Chinese characters too. */
const SCRIPTS: readonly (readonly [name: string, letter: RegExp])[] = [
	['Latin', /\p{Script=Latin}/gu],
	['Cyrillic', /\p{Script=Cyrillic}/gu],
	['Greek', /\p{Script=Greek}/gu],
	['Arabic', /\p{Script=Arabic}/gu],
	['Hebrew', /\p{Script=Hebrew}/gu],
	['Thai', /\p{Script=Thai}/gu],
	['Chinese, Japanese or Korean', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu],
	[
		'an Indic script',
		/[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Gujarati}]/gu,
	],
];
const LATIN = SCRIPTS[0]?.[0] as string;
/** Letters of these look alike, so that they hide words from filters. */
const LATIN_LETTER = /\p{Script=Latin}/u;
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
/** Signs of mathematics and units, as in `µm`. */
const MIN_WORD = 4;
const MIN_LETTERS = 10;
const MIN_HISTORY = 30;
/** Percentage of messages. */
const RARE = 5;
/** Then the counts are halved, so that a form may change its habits. */
const MAX_HISTORY = 1000;
const MAX_FORMS = 10_000;

export type ScriptHistory = ReturnType<typeof createScriptHistory>;

/** The scripts of submissions since the server started, by form, in memory. */
export function createScriptHistory() {
	const forms = new Map<number, { total: number; others: Map<string, number> }>();

	function of(formId: number) {
		const known = forms.get(formId);
		if (known) return known;
		if (forms.size >= MAX_FORMS) forms.clear();
		const made = { total: 0, others: new Map<string, number>() };
		forms.set(formId, made);
		return made;
	}

	return {
		/** Counts a message that is not spam; on the hot path. */
		count(formId: number, script: string = LATIN): void {
			const history = of(formId);
			if (++history.total > MAX_HISTORY) {
				history.total >>= 1;
				for (const [name, count] of history.others) history.others.set(name, count >> 1);
			}
			if (script !== LATIN) history.others.set(script, (history.others.get(script) ?? 0) + 1);
		},
		/** How many of how many messages had the script. */
		share(formId: number, script: string): { count: number; total: number } {
			const { total, others } = of(formId);
			if (script !== LATIN) return { count: others.get(script) ?? 0, total };
			let count = total;
			for (const other of others.values()) count -= other;
			return { count, total };
		},
	};
}

/** The script of most of the letters; Latin if there are few. */
export function scriptOf({ text }: Message): { script: string; letters: number } {
	if (isAscii(text)) return { script: LATIN, letters: text.replace(/[^A-Za-z]+/g, '').length };
	let most = { script: LATIN, letters: 0 };
	for (const [script, letter] of SCRIPTS) {
		const letters = text.match(letter)?.length ?? 0;
		if (letters > most.letters) most = { script, letters };
	}
	return most;
}

export function judgeScripts(
	message: Message,
	{ formId, history }: { formId: number; history: Pick<ScriptHistory, 'share'> },
): SpamReason[] {
	const reasons: SpamReason[] = [];
	const mixed = isAscii(message.text)
		? undefined
		: message.words.find((word) => word.length >= MIN_WORD && LATIN_LETTER.test(word) && LOOKALIKE.test(word));
	if (mixed !== undefined) reasons.push({ rule: 'mixed-scripts', points: 2, detail: `“${mixed.slice(0, 40)}”` });
	const { script, letters } = scriptOf(message);
	const { count, total } = history.share(formId, script);
	if (letters >= MIN_LETTERS && total >= MIN_HISTORY && count * 100 < total * RARE) {
		const detail = `${script}, as ${count} of the last ${total} messages of this form`;
		reasons.push({ rule: 'other-script', points: 1.5, detail });
	}
	return reasons;
}
