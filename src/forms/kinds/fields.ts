/** The kind of the setting of field rules: a list, or `null` for no rules. On the command line they are JSON. */

import type { TSchema } from '@sinclair/typebox';
import { PatternFault } from '../../field-rules/pattern-syntax.ts';
import {
	dateOrder,
	FIELD_TYPE_NAMES,
	FIELD_TYPES,
	type FieldRule,
	mayBeUnique,
	ON_DUPLICATE_NAMES,
	PATTERN_TEXT_MAX,
	RULE_MEMBERS,
	type RuleMember,
} from '../../field-rules/rules.ts';
import { SPECIAL_NAMES } from '../../form-values/special-names.ts';
import { characterCount } from '../../text/character-count.ts';
import { mayHaveLostDigits } from '../../text/exact-json.ts';
import { withoutNulls } from './partial.ts';
import { type Check, type Fault, faultOf, type OfKind, type Types, type Words } from './setting.ts';

const RULES_MAX = 100;
const UNIQUE_MAX = 2;
const NAME_MAX = 200;
const MESSAGE_MAX = 200;
const CONTROLS = /\p{Cc}/u;
const OPTIONS_MAX = 200;
const LENGTH_MAX = 1_000_000;
/** All rules as JSON: they are in memory with the form. */
const JSON_MAX = 64 * 1024;
/** Limit of all patterns together: some 10 ms for the longest texts. Those beyond it are not compiled, which takes time. */
const PATTERNS_SIZE_MAX = 1200;

export type Fields = OfKind<'fields', FieldRule[] | null>;

export function fields(words: Words<FieldRule[] | null>): Fields {
	return {
		...words,
		kind: 'fields',
		blank: null,
		schema: (types) => types.Type.Array(ruleSchema(types), { description: words.description }),
		check: (sent, check) => checkRules(sent.map(withoutNulls) as FieldRule[], check),
		format: (rules) => rules.map(summaryOf).join(', '),
		parse: JSON.parse,
		isJson: true,
	};
}

function ruleSchema({ Type, stringEnum, nullable }: Types): TSchema {
	const optional = (schema: TSchema) => Type.Optional(nullable(schema));
	const bound = (description: string) =>
		Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()], { description }));
	return Type.Object(
		{
			name: Type.String({ description: `Name of the field, as it is sent, up to ${NAME_MAX} characters.` }),
			type: stringEnum(FIELD_TYPE_NAMES),
			label: optional(
				Type.String({
					description: `For visitors, in the sentences of errors, up to ${NAME_MAX} characters; the name by default.`,
				}),
			),
			message: optional(
				Type.String({
					description: `What visitors read if the field is at fault, up to ${MESSAGE_MAX} characters, in place of the server's sentences.`,
				}),
			),
			required: optional(Type.Boolean()),
			minLength: optional(
				Type.Integer({
					description: `In UTF-16 code units, as in HTML, up to ${LENGTH_MAX}; with a pattern up to ${PATTERN_TEXT_MAX}, as is maxLength.`,
				}),
			),
			maxLength: optional(Type.Integer()),
			min: bound('Bound of a number, or of a date as `2026-01-31`.'),
			max: bound('The same.'),
			options: optional(
				Type.Array(Type.String(), {
					description: `The only values of a choice or checkbox, 1 to ${OPTIONS_MAX}, each up to ${NAME_MAX} characters.`,
				}),
			),
			pattern: optional(
				Type.String({
					description: 'As the attribute in HTML: a regular expression that the whole value must match.',
				}),
			),
			unique: optional(
				Type.Boolean({
					description: `Only one submission may have a value; spam and deleted ones do not count. For up to ${UNIQUE_MAX} fields.`,
				}),
			),
			onDuplicate: optional(stringEnum(ON_DUPLICATE_NAMES)),
		},
		{ additionalProperties: false },
	);
}

function summaryOf({ name, type, required, unique }: FieldRule): string {
	return `${name} (${type}${required ? ', required' : ''}${unique ? ', unique' : ''})`;
}

function checkRules(sent: FieldRule[], { name: setting, report, compilePattern }: Check): FieldRule[] | undefined {
	const names = new Set<string>();
	let patternsSize = 0;
	let uniqueCount = 0;

	function checkRule(rule: FieldRule, i: number): void {
		const fault = faultOf({ name: `${setting}.${i}`, report }, 'INVALID_FIELDS');
		if (!isShort(rule.name)) fault('name', `must have 1 to ${NAME_MAX} characters`);
		if (names.has(rule.name)) fault('name', 'must be another: there is a rule of this name already');
		if (SPECIAL_NAMES.has(rule.name)) fault('name', 'must not be that of a special field');
		names.add(rule.name);
		if (rule.label !== undefined && !isShort(rule.label)) fault('label', `must have 1 to ${NAME_MAX} characters`);
		const { message } = rule;
		if (message !== undefined && (!message.trim() || characterCount(message) > MESSAGE_MAX || CONTROLS.test(message))) {
			fault('message', `must be one line of 1 to ${MESSAGE_MAX} characters`);
		}
		const allowed: readonly RuleMember[] = FIELD_TYPES[rule.type].members;
		for (const member of RULE_MEMBERS) {
			if (rule[member] !== undefined && !allowed.includes(member))
				fault(member, `does not go with the type ${rule.type}`);
		}
		checkLengths(rule, fault);
		checkBounds(rule, fault);
		checkOptions(rule, fault);
		if (rule.pattern !== undefined) checkPattern(rule.pattern, fault);
		checkUnique(rule, fault);
	}

	function checkUnique(rule: FieldRule, fault: Fault): void {
		const { type, unique, onDuplicate } = rule;
		if (unique && !mayBeUnique(rule)) fault('unique', `does not go with the type ${type}`);
		if (unique && ++uniqueCount > UNIQUE_MAX) fault('unique', `may be set for ${UNIQUE_MAX} fields of a form`);
		if (onDuplicate !== undefined && !unique) fault('onDuplicate', 'goes only with unique');
	}

	function checkPattern(pattern: string, fault: Fault): void {
		if (patternsSize > PATTERNS_SIZE_MAX) return;
		try {
			patternsSize += compilePattern(pattern).size;
			if (patternsSize > PATTERNS_SIZE_MAX) fault('pattern', 'is too large together with those before it');
		} catch (error) {
			if (!(error instanceof PatternFault)) throw error;
			fault('pattern', error.message);
		}
	}

	if (sent.length > RULES_MAX) return report('TOO_MANY', `${setting} holds at most ${RULES_MAX} rules.`);
	sent.forEach(checkRule);
	if (JSON.stringify(sent).length > JSON_MAX) {
		return report('TOO_LARGE', `${setting} may have at most ${JSON_MAX} characters as JSON.`);
	}
	return sent;
}

const isShort = (text: string) => text !== '' && characterCount(text) <= NAME_MAX;

function checkLengths({ minLength, maxLength, pattern }: FieldRule, fault: Fault): void {
	const most = pattern === undefined ? LENGTH_MAX : PATTERN_TEXT_MAX;
	const isLength = (length = 0) => length >= 0 && length <= most;
	const reason = pattern === undefined ? '' : ', because of the pattern';
	if (!isLength(minLength)) fault('minLength', `must be from 0 to ${most}${reason}`);
	if (!isLength(maxLength)) fault('maxLength', `must be from 0 to ${most}${reason}`);
	if ((minLength ?? 0) > (maxLength ?? LENGTH_MAX)) fault('maxLength', 'must not be less than minLength');
}

function checkBounds({ type, min, max }: FieldRule, fault: Fault): void {
	const [least, most] = Object.entries({ min, max }).map(([member, bound]) => {
		if (bound === undefined || (type !== 'number' && type !== 'date')) return undefined;
		const number = typeof bound === 'number' ? bound : undefined;
		const order = type === 'date' ? dateOrder(`${bound}`) : number;
		if (mayHaveLostDigits(bound)) fault(member, `must not be beyond ±${Number.MAX_SAFE_INTEGER}: digits would be lost`);
		if (order === undefined) fault(member, type === 'date' ? 'must be a date such as 2026-01-31' : 'must be a number');
		return order;
	});
	if (least !== undefined && most !== undefined && least > most) fault('max', 'must not be less than min');
}

function checkOptions({ options }: FieldRule, fault: Fault): void {
	if (options === undefined) return;
	if (options.length < 1 || options.length > OPTIONS_MAX) fault('options', `must be 1 to ${OPTIONS_MAX} texts`);
	if (!options.every(isShort)) fault('options', `must each have 1 to ${NAME_MAX} characters`);
	if (new Set(options).size < options.length) fault('options', 'must differ');
}
