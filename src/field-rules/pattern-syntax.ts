/** Pure: reads the regular expressions of HTML's attribute `pattern` that can be matched in linear time. */

/** Returns whether a condition holds between two characters; -1 stands for the start or the end of the text. */
export type Boundary = (before: number, after: number) => boolean;

export type Syntax =
	/** `atom` is a native expression for one character. */
	| { kind: 'set'; atom: string }
	| { kind: 'boundary'; holds: Boundary }
	| { kind: 'sequence'; parts: Syntax[] }
	| { kind: 'choice'; options: Syntax[] }
	| { kind: 'repeat'; part: Syntax; min: number; max: number };

/** The reason why an expression is rejected: the end of a sentence. */
export class PatternFault extends Error {}

export const ASCII_END = 128;
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
		if (source[at] === '[') return setOf(takeClass());
		const [atom = ''] = take(ATOM) ?? [];
		const holds = BOUNDARIES[atom];
		if (holds) return { kind: 'boundary', holds };
		if (/^\\[1-9k]/.test(atom)) throw new PatternFault('must not refer back to a group, as in \\1');
		return setOf(atom);
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

	function setOf(atom: string): Syntax {
		if (holdsTexts(atom)) throw new PatternFault(`must not have a class with texts of several characters, as ${atom}`);
		return { kind: 'set', atom };
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

/**
 * How often classes turn others inside of them around, or combine them. The engine takes milliseconds for each, whatever
 * the text is, so they are counted before it sees them.
 */
export function countOperations(source: string): number {
	let depth = 0;
	let count = 0;
	for (const [part] of source.matchAll(/\\.|\[\^?|\]|&&|--/gsu)) {
		if (depth > 0 && (part === '[^' || part === '&&' || part === '--')) count++;
		if (part.startsWith('[')) depth++;
		else if (part === ']') depth--;
	}
	return count;
}

/**
 * Such a class has no complement, nor has such a property. A letter stands for other properties, since the engine takes
 * milliseconds to turn around a large one.
 */
function holdsTexts(atom: string): boolean {
	if (!/^(?:\[(?!\^)|\\p)/.test(atom)) return false;
	const small = atom.replace(/\\[pP](\{[^}]*\})/g, (property, name) => (isExpression(`\\P${name}`) ? 'a' : property));
	return !isExpression(`[^${small}]`);
}

function isExpression(source: string): boolean {
	try {
		new RegExp(source, 'v');
		return true;
	} catch {
		return false;
	}
}

const WORD = Uint8Array.from({ length: ASCII_END }, (_, code) => Number(/\w/.test(String.fromCharCode(code))));
const isWord = (code: number) => code >= 0 && code < ASCII_END && WORD[code] === 1;

const BOUNDARIES: Partial<Record<string, Boundary>> = {
	'^': (before) => before === -1,
	$: (_, after) => after === -1,
	'\\b': (before, after) => isWord(before) !== isWord(after),
	'\\B': (before, after) => isWord(before) === isWord(after),
};
