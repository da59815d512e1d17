/**
 * The bodies of the benchmark: what visitors send, in fixed shares. They are derived from their numbers, so they are the same in each
 * run, and no two are alike: the same text over and over is what robots send.
 */

import { LATIN, type Language, OTHER_SCRIPTS } from './mix-sentences.ts';

/** More than the spam score remembers, several times over. */
export const BODIES = 32_768;
/** The kinds of 20 consecutive bodies, spread evenly. */
const TURNS = [
	...['short', 'phone', 'message', 'short', 'phone', 'message', 'script', 'short', 'phone', 'message'],
	...['link', 'short', 'phone', 'message', 'script', 'short', 'phone', 'message', 'link', 'long'],
] as const;

export type Kind = (typeof TURNS)[number];
export type Fields = Readonly<Record<string, string>>;

export const KINDS = [...new Set(TURNS)];
/** Every field that a body may have. */
export const FIELDS = ['name', 'email', 'phone', 'message'] as const;

const MESSAGE = { least: 400, most: 1200 };
const LONG = { least: 3000, most: 5000 };
const PHONES = [
	'+44 20 7### ####',
	'0151 ########',
	'(030) ######-##',
	'+34 6## ## ## ##',
	'0###-#######',
	'+1 ### 555 01##',
];
const CALLS = ['You can reach me on', 'Sie erreichen mich unter', 'Me pueden llamar al'];
const LINKS = ['https://www.example.org/album/####', 'http://example.net/plan-##.pdf', 'www.example.com/house/##/##'];
const MAIL_HOSTS = ['example.com', 'example.org', 'mail.example.net', 'post.example.de', 'correo.example.es'];

/** All bodies in their order, or as many of one kind. */
export function fieldsOf(kind: Kind | 'mix'): Fields[] {
	return Array.from({ length: BODIES }, (_, number) =>
		bodyOf(number, kind === 'mix' ? (TURNS[number % TURNS.length] as Kind) : kind),
	);
}

function bodyOf(number: number, kind: Kind): Fields {
	const writer = createWriter(number);
	const { pick, digits, list, sentence, text } = writer;
	const language: Language = pick<Language>(kind === 'script' ? OTHER_SCRIPTS : LATIN);
	const email = `${pick(['post', 'mail', 'info', 'hello', 'me'])}${digits('####')}@${pick(MAIL_HOSTS)}`;
	const sender = { name: pick(language.names), email };
	if (kind === 'short') return { ...sender, message: list(language) };
	if (kind === 'script') return { ...sender, message: text(language, { least: 40, most: 400 }) };
	if (kind === 'message') return { ...sender, message: text(language, MESSAGE) };
	if (kind === 'long') return { ...sender, message: text(language, LONG) };
	if (kind === 'link') {
		return { ...sender, message: `${text(language, { least: 60, most: 400 })} ${digits(pick(LINKS))}` };
	}
	const phone = digits(pick(PHONES));
	const question = `${sentence(language)} ${list(language)}`;
	if (pick([true, false])) return { ...sender, phone, message: question };
	return {
		...sender,
		message: `${question} ${CALLS[LATIN.indexOf(language as (typeof LATIN)[number])]} ${phone}.`,
	};
}

function createWriter(seed: number) {
	let state = Math.imul(seed + 1, 0x9e3779b1);

	function below(count: number): number {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
	}

	const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
	const digits = (pattern: string): string => pattern.replace(/#/g, () => String(below(10)));

	function filled(sentence: string, { fillings }: Language): string {
		const text = sentence.replace(/\{(\w+)\}/g, (_, name: string) =>
			name === 'n' ? String(2 + below(97)) : pick(fillings[name] as readonly string[]),
		);
		return text.charAt(0).toUpperCase() + text.slice(1);
	}

	const sentence = (language: Language) => filled(pick(language.sentences), language);
	const list = (language: Language) => filled(pick(language.lists), language);

	/** Sentences up to a length between two bounds, in characters. */
	function text(language: Language, { least, most }: { least: number; most: number }): string {
		const wanted = least + below(most - least + 1);
		let written = list(language);
		for (;;) {
			const next = written + (below(6) === 0 ? '\n\n' : language.gap) + pick([list, sentence])(language);
			if (next.length > wanted && written.length >= least) return written;
			written = next;
		}
	}

	return { pick, digits, list, sentence, text };
}
