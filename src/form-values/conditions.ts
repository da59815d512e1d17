/** Pure: the owner's conditions on the fields of a submission, under which something is sent. For browsers too. */

import type { TSchema, Type as TypeBox } from '@sinclair/typebox';
import { characterCount } from '../text/character-count.ts';
import { exactText, parseExact } from '../text/exact-json.ts';
import { normalized } from '../text/normalized.ts';

export const CONDITIONS_MAX = 5;
const TEXT_MAX = 200;

/** The tests of a field, each once. */
const TESTS = {
	is: `The text of the field, without regard to case, up to ${TEXT_MAX} characters.`,
	contains: 'A part of it, in the same way.',
	exists: '`true`: the field is there and not empty; `false`: it is not.',
} as const;
type Test = keyof typeof TESTS;
const TEST_NAMES = Object.keys(TESTS) as Test[];

/** A field and exactly one test of it. Of a field with several values, one of them has to pass. */
export interface Condition {
	field: string;
	is?: string;
	contains?: string;
	exists?: boolean;
}

/** @param types The maker of schemas, as an argument: browsers do not load it. */
export function conditionsSchema({ Type }: { Type: typeof TypeBox }, description: string): TSchema {
	const text = (member: Test) => Type.Optional(Type.String({ description: TESTS[member] }));
	const members = {
		field: Type.String({ description: `Name of the field, as it is sent, up to ${TEXT_MAX} characters.` }),
		is: text('is'),
		contains: text('contains'),
		exists: Type.Optional(Type.Boolean({ description: TESTS.exists })),
	};
	return Type.Array(Type.Object(members, { additionalProperties: false }), { description });
}

/** Reports what is wrong. @param field The member that has the conditions, such as `where` */
export function checkConditions(
	conditions: readonly Condition[],
	{ field, report }: { field: string; report: (code: string, message: string, field: string) => void },
): void {
	const fault = (member: string, rest: string) => report('INVALID_CONDITION', `${member} ${rest}.`, member);
	if (conditions.length > CONDITIONS_MAX) fault(field, `holds at most ${CONDITIONS_MAX} conditions`);
	for (const [i, condition] of conditions.slice(0, CONDITIONS_MAX).entries()) {
		const member = `${field}.${i}`;
		const tests = TEST_NAMES.filter((name) => condition[name] !== undefined);
		if (tests.length !== 1) fault(member, `must have one of ${TEST_NAMES.join(', ')}`);
		for (const name of ['field', ...tests] as const) {
			const text = condition[name];
			if (typeof text === 'string' && (text.trim() === '' || characterCount(text) > TEXT_MAX))
				fault(`${member}.${name}`, `must have 1 to ${TEXT_MAX} characters`);
		}
	}
}

/** The texts of a field as conditions compare them, without empty ones. */
export type FieldTexts = (name: string) => readonly string[];

/** @param data the JSON text of the fields, parsed when it is first needed */
export function fieldTexts(data: string): FieldTexts {
	let fields: Record<string, unknown> | undefined;
	const known = new Map<string, string[]>();
	return (name) => {
		fields ??= parseExact(data) as Record<string, unknown>;
		const value = Object.hasOwn(fields, name) ? fields[name] : null;
		const values: unknown[] = Array.isArray(value) ? value : [value];
		const texts = known.get(name) ?? values.map((one) => comparable(exactText(one))).filter((text) => text !== '');
		known.set(name, texts);
		return texts;
	};
}

/** Returns whether all conditions hold; without any, they do. */
export function matches(conditions: readonly Condition[] | null, texts: FieldTexts): boolean {
	return (conditions ?? []).every((condition) => holds(condition, texts(condition.field)));
}

function holds({ is, contains, exists }: Condition, texts: readonly string[]): boolean {
	if (is !== undefined) return texts.includes(comparable(is));
	if (contains !== undefined) return texts.some((text) => text.includes(comparable(contains)));
	return texts.length > 0 === exists;
}

/** Browsers send other line ends than owners write. */
const comparable = (text: string) => normalized(text, 'NFC').replace(/\r\n?/g, '\n').trim().toLowerCase();
