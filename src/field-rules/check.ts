/** Pure: holds the fields of a submission against the rules of its form, as a browser does with the same attributes. */

import type { FieldError } from '../errors.ts';
import type { Key } from '../languages/catalogue.ts';
import type { SentenceValues } from '../languages/translation.ts';
import { say } from '../languages/translations.ts';
import { isEmailAddress } from '../text/email-address.ts';
import { exactText, isExactNumber } from '../text/exact-json.ts';
import { parseUrl } from '../text/web-address.ts';
import { compilePattern, type Pattern, type Work } from './pattern.ts';
import { PatternFault } from './pattern-syntax.ts';
import { dateOrder, type FieldRule, type FieldType, labelOf, numberOf, PATTERN_TEXT_MAX } from './rules.ts';
import { comparedText } from './unique.ts';

/** The texts of a field, possibly none; `undefined` if its value is neither a text nor a list of texts. */
type Values = string[] | undefined;

/** The fault of one value, as a code and a sentence about the label. */
type Fault = readonly [code: string, key: Key, values?: SentenceValues];
type Test = (value: string) => Fault | undefined;
/** Tests all values of a field. Pauses as patterns do. */
type PatternTest = (values: readonly string[], work: Work) => Generator<void, Fault | undefined>;
/** Pauses after so much work that others should have their turn. */
export type Checking<T> = Generator<void, T>;

export interface Fields {
	/** By name, as `parseExact` reads them: a number is held against a rule with all its digits. */
	values: Record<string, unknown>;
	/** The names of those that hold files. */
	files: ReadonlySet<string>;
}

/** From the HTML standard. */
const HTML_EMAIL =
	/^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** More than mail servers take; in a mebibyte of labels the expression would remember each. */
const EMAIL_MAX = 1000;
/** Inputs of these types look at the value without the space around it. */
const TRIMMED: ReadonlySet<FieldType> = new Set(['email', 'url']);

/** The check returns what is wrong with the fields that have a rule, in the order of the rules. */
export function createFieldCheck(rules: readonly FieldRule[]): (fields: Fields) => Checking<FieldError[]> {
	const checks = rules.map(createRuleCheck);
	return function* checkFields(fields) {
		const work = { steps: 0 };
		const errors: FieldError[] = [];
		for (const check of checks) {
			const error = yield* check(fields, work);
			if (error) errors.push(error);
		}
		return errors;
	};
}

/** For rules without a pattern, or where no visitor waits. */
export function atOnce<T>(check: Checking<T>): T {
	let stretch = check.next();
	while (!stretch.done) stretch = check.next();
	return stretch.value;
}

function createRuleCheck(rule: FieldRule): (fields: Fields, work: Work) => Checking<FieldError | undefined> {
	const { name, type, required, unique } = rule;
	const most = unique ? 1 : Number.POSITIVE_INFINITY;
	const tests = testsOf(rule);
	const patternTest = createPatternTest(rule);
	const error = (fault: Fault) => errorOf(rule, fault);
	/** Browsers take blanks for a value. As one that may come once they would stand for none, and could come again. */
	const isNone = (text: string) => unique === true && comparedText(rule, text) === '';
	return function* checkField({ values, files }, work) {
		const isFile = files.has(name);
		const sent = Object.hasOwn(values, name) ? textsOf(values[name], type) : [];
		if (required && sent?.every(isNone)) return error(['REQUIRED', REQUIRED[type] ?? 'required']);
		if (sent?.length === 0) return undefined;
		if (!sent || isFile !== (type === 'file')) return error(['INVALID_TYPE', WRONG_TYPE[type] ?? 'notText']);
		if (sent.length > most) return error(['INVALID_TYPE', 'oneValue']);
		for (const test of tests) {
			const fault = firstOf(sent, test);
			if (fault) return error(fault);
		}
		const fault = patternTest && (yield* patternTest(sent, work));
		return fault && error(fault);
	};
}

function errorOf(rule: FieldRule, [code, key, values]: Fault): FieldError {
	const { name: field, message } = rule;
	// The owner's words for this field stand in every language.
	if (message !== undefined) return { field, code, message };
	const says = [key, { ...values, label: labelOf(rule) }] as const;
	return { field, code, message: say(...says), says };
}

/** The error for a value that another submission has. */
export const notUnique = (rule: FieldRule): FieldError => errorOf(rule, ['NOT_UNIQUE', 'notUnique']);

function firstOf(values: readonly string[], test: Test): Fault | undefined {
	for (const value of values) {
		const fault = test(value);
		if (fault) return fault;
	}
}

/** The values of a field without empty ones, which count as left out. */
function textsOf(value: unknown, type: FieldType): Values {
	if (typeof value === 'string') {
		const text = TRIMMED.has(type) ? value.trim() : value;
		return text === '' ? [] : [text];
	}
	if (value === null || value === undefined) return [];
	if (typeof value === 'boolean' && type === 'checkbox') return value ? ['true'] : [];
	if (typeof value === 'boolean' || isExactNumber(value)) return [exactText(value)];
	if (!Array.isArray(value)) return undefined;
	const texts = value.map((item) => (Array.isArray(item) ? undefined : textsOf(item, type)));
	return texts.includes(undefined) ? undefined : (texts as string[][]).flat();
}

/** In place of `notText`. */
const WRONG_TYPE: Partial<Record<FieldType, Key>> = { file: 'notFile' };
/** In place of `required`. */
const REQUIRED: Partial<Record<FieldType, Key>> = {
	file: 'requiredFile',
	select: 'requiredChoice',
	checkbox: 'requiredTick',
};

/** In the order shown to visitors. */
function testsOf(rule: FieldRule): Test[] {
	const { type, options } = rule;
	const tests: Test[] = [FORMATS[type]];
	if (options) {
		const choices = new Set(options);
		tests.push((value) => (choices.has(value) ? undefined : ['NOT_AN_OPTION', 'badOption']));
	}
	tests.push(...boundsOf(rule), ...lengthsOf(rule));
	return tests;
}

const any: Test = () => undefined;
const FORMATS: Record<FieldType, Test> = {
	text: any,
	tel: any,
	select: any,
	checkbox: any,
	file: any,
	email: (value) => {
		// Values that a browser accepts are accepted, and international domains, which it converts.
		if (isEmailAddress(value) || (value.length <= EMAIL_MAX && HTML_EMAIL.test(value))) return undefined;
		return ['INVALID_EMAIL', 'badEmail'];
	},
	url: (value) => (parseUrl(value) ? undefined : ['INVALID_URL', 'badUrl']),
	number: (value) => (numberOf(value) === undefined ? ['INVALID_NUMBER', 'badNumber'] : undefined),
	date: (value) => (dateOrder(value) === undefined ? ['INVALID_DATE', 'badDate'] : undefined),
};

/** Their texts are numbers or dates already. */
function boundsOf({ type, min, max }: FieldRule): Test[] {
	const order = type === 'date' ? dateOrder : numberOf;
	const [least, most] = [min, max].map((bound) => order(`${bound}`));
	const is = (value: string) => order(value) as string | number;
	const tests: Test[] = [];
	const isDate = type === 'date';
	const shown = (bound: FieldRule['min']) => ({ bound: isDate ? { day: `${bound}` } : Number(bound) });
	if (least !== undefined) {
		const fault: Fault = ['TOO_SMALL', isDate ? 'tooEarly' : 'tooSmall', shown(min)];
		tests.push((value) => (is(value) < least ? fault : undefined));
	}
	if (most !== undefined) {
		const fault: Fault = ['TOO_LARGE', isDate ? 'tooLate' : 'tooLarge', shown(max)];
		tests.push((value) => (is(value) > most ? fault : undefined));
	}
	return tests;
}

function lengthsOf({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: FieldRule): Test[] {
	return [
		(value) => {
			const length = lengthOf(value);
			if (length > maxLength) return tooLong(length, maxLength);
			if (length >= minLength) return undefined;
			return ['TOO_SHORT', 'tooShort', { length, bound: minLength }];
		},
	];
}

function createPatternTest({ pattern }: FieldRule): PatternTest | undefined {
	if (pattern === undefined) return undefined;
	let compiled: Pattern | null | undefined;
	return function* testPattern(values, work) {
		const length = values.reduce((sum, text) => sum + text.length, 0);
		if (length > PATTERN_TEXT_MAX) return tooLong(length, PATTERN_TEXT_MAX);
		if (compiled === undefined) {
			compiled = compileOrIgnore(pattern);
			yield;
			work.steps = 0;
		}
		if (!compiled || (yield* compiled.match(values, work))) return undefined;
		return ['PATTERN_MISMATCH', 'badPattern'];
	};
}

/** Patterns are checked when they are set. One that a later version does not take must not keep visitors out. */
function compileOrIgnore(source: string): Pattern | null {
	try {
		return compilePattern(source);
	} catch (error) {
		if (error instanceof PatternFault) return null;
		throw error;
	}
}

function tooLong(length: number, most: number): Fault {
	return ['TOO_LONG', 'tooLong', { length, bound: most }];
}

/** A browser counts the end of a line once and sends two characters for it. */
function lengthOf(value: string): number {
	return value.includes('\r\n') ? value.replaceAll('\r\n', '\n').length : value.length;
}
