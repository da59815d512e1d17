/** Pure: reads the regular expressions of HTML's attribute `pattern` that can be matched in linear time. */

/** Whether a character, given by its code point, is one of a set. */
export type CharacterSet = (code: number) => boolean;

/** Whether something holds between two characters; -1 stands for the start or the end of the text. */
export type Boundary = (before: number, after: number) => boolean;

export type Syntax =
	| { kind: 'set'; has: CharacterSet }
	| { kind: 'boundary'; holds: Boundary }
	| { kind: 'sequence'; parts: Syntax[] }
	| { kind: 'choice'; options: Syntax[] }
	| { kind: 'repeat'; part: Syntax; min: number; max: number };

/** Why an expression is not taken: the end of a sentence. */
export class PatternFault extends Error {}

const ASCII_END = 128;
const QUANTIFIER = /([*+?]|\{(\d+)(,?)(\d*)\})\??/y;
/** One character, escape or property outside of a class. */
const ATOM = /\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\c.|\\[pP]\{[^}]*\}|\\?./suy;
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>)?/y;

/**
 * The meaning is that of browsers, because they decide what a class or an escape means: each is a native expression for one
 * character.
 * @throws PatternFault
 */
export function parsePattern(source: string): Syntax {
	checkNatively(source);
	const sets = new Map<string, CharacterSet>();
	let at = 0;

	const take = (expression: RegExp): RegExpExecArray | null => {
		expression.lastIndex = at;
		const found = expression.exec(source);
		if (found) at = expression.lastIndex;
		return found;
	};

	function readChoice(): Syntax {
		const options = [readSequence()];
		while (source[at] === '|') {
			at++;
			options.push(readSequence());
		}
		return options.length === 1 ? (options[0] as Syntax) : { kind: 'choice', options };
	}

	function readSequence(): Syntax {
		const parts: Syntax[] = [];
		while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(readRepeated());
		return { kind: 'sequence', parts };
	}

	function readRepeated(): Syntax {
		const part = readPart();
		const [, sign, least, comma, most] = take(QUANTIFIER) ?? [];
		if (sign === undefined) return part;
		if (sign === '?') return { kind: 'repeat', part, min: 0, max: 1 };
		if (least === undefined) return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: Number.POSITIVE_INFINITY };
		const min = Number(least);
		return { kind: 'repeat', part, min, max: comma ? Number(most || Number.POSITIVE_INFINITY) : min };
	}

	function readPart(): Syntax {
		if (source[at] === '(') return readGroup();
		if (source[at] === '[') return { kind: 'set', has: setOf(takeClass()) };
		const [atom = ''] = take(ATOM) ?? [];
		const holds = BOUNDARIES[atom];
		if (holds) return { kind: 'boundary', holds };
		if (/^\\[1-9k]/.test(atom)) throw new PatternFault('must not refer back to a group, as in \\1');
		return { kind: 'set', has: setOf(atom) };
	}

	function readGroup(): Syntax {
		take(GROUP);
		if (source[at] === '?')
			throw new PatternFault('must not look ahead or behind, nor set flags, as in (?=…) and (?i:…)');
		const inside = readChoice();
		at++;
		return inside;
	}

	/** A class with those inside of it. */
	function takeClass(): string {
		const start = at;
		let depth = 0;
		do {
			if (source[at] === '\\') at++;
			else if (source[at] === '[') depth++;
			else if (source[at] === ']') depth--;
			at++;
		} while (depth > 0);
		return source.slice(start, at);
	}

	function setOf(atom: string): CharacterSet {
		const known = sets.get(atom) ?? createSet(atom);
		sets.set(atom, known);
		return known;
	}

	return readChoice();
}

function checkNatively(source: string): void {
	try {
		new RegExp(source, 'v');
	} catch (error) {
		const reason = (error as Error).message.replace(/^Invalid regular expression:? ?/, '');
		throw new PatternFault(
			`must be a regular expression as browsers read it, with the flag v: ${reason}. Inside [ ], write \\- \\( \\) \\{ \\} \\/ and \\| with a backslash`,
		);
	}
}

/** A native expression that holds for one character takes the same time for each. */
function createSet(atom: string): CharacterSet {
	const one = new RegExp(`^${atom}$`, 'v');
	const ascii = Uint8Array.from({ length: ASCII_END }, (_, code) => Number(one.test(String.fromCharCode(code))));
	if (holdsTexts(atom)) throw new PatternFault(`must not have a class with texts of several characters, as ${atom}`);
	let last = -1;
	let isIn = false;
	return (code) => {
		if (code < ASCII_END) return ascii[code] === 1;
		// Asked many times for one character, where a class is repeated.
		if (code !== last) isIn = one.test(String.fromCodePoint(code));
		last = code;
		return isIn;
	};
}

/** Such a class has no complement. */
function holdsTexts(atom: string): boolean {
	if (!/^(?:\[|\\p)/.test(atom)) return false;
	try {
		new RegExp(`[^${atom}]`, 'v');
		return false;
	} catch {
		return true;
	}
}

const isWord = (code: number) => code >= 0 && code < ASCII_END && /\w/.test(String.fromCharCode(code));

const BOUNDARIES: Partial<Record<string, Boundary>> = {
	'^': (before) => before === -1,
	$: (_, after) => after === -1,
	'\\b': (before, after) => isWord(before) !== isWord(after),
	'\\B': (before, after) => isWord(before) === isWord(after),
};
