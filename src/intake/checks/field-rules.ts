/** Holds submissions against the field rules of their form, and drops fields without a rule if the form says so. */

import { AppError, type FieldError } from '../../errors.ts';
import { type Checking, createFieldCheck } from '../../field-rules/check.ts';
import { type FieldRule, labelsOf } from '../../field-rules/rules.ts';
import { isStored } from '../../form-values/aliases.ts';
import { addressIn } from '../../form-values/visitor-mails.ts';
import { say } from '../../languages/translations.ts';
import type { FormRow } from '../../storage/tables.ts';
import { createOneAtATime } from '../../tasks/one-at-a-time.ts';
import { parseExact } from '../../text/exact-json.ts';
import { type Content, setFields } from '../body/content.ts';
import { quoteName } from '../body/fields.ts';
import { specialNamesOf } from '../body/special-fields.ts';

/** The error for a submission that breaks the field rules of its form, with what a visitor needs to correct it. */
export class FieldsRejected extends AppError {
	readonly content: Content;

	constructor(fields: FieldError[], content: Content) {
		const [first] = fields;
		const many = ['fieldsFaulty', { count: fields.length }] as const;
		const isOne = fields.length === 1 && first !== undefined;
		const says = isOne ? (first.says ?? first.message) : many;
		super('VALIDATION_ERROR', isOne ? first.message : say(...many), { fields, says });
		this.content = content;
	}
}

interface RuleSet {
	check: ReturnType<typeof createFieldCheck>;
	names: ReadonlySet<string>;
}

/** A form can have a hundred rules: a submission of a thousand other fields need not name each. */
const MAX_UNKNOWN_NAMED = 20;

/** By the rules of forms in the cache; they are replaced, never changed. */
const compiled = new WeakMap<FieldRule[], RuleSet>();

/**
 * Takes dropped fields out of the content.
 * @throws FieldsRejected that names every field at fault
 */
export async function checkRules(
	form: Pick<FormRow, 'fields' | 'unknownFields' | 'spam' | 'aliases'>,
	content: Content,
): Promise<void> {
	const { unknownFields } = form;
	const { check, names } = ruleSetOf(form);
	const values = parseExact(content.data) as Record<string, unknown>;
	const fields = { values, files: content.files?.fields() ?? NO_FILES };
	const issues = await inTurns(check(fields));
	const unknown =
		unknownFields === 'keep' ? [] : content.fields.map(({ name }) => name).filter((name) => !names.has(name));
	if (unknownFields === 'refuse') issues.push(...unknown.slice(0, MAX_UNKNOWN_NAMED).map(unknownField));
	if (issues.length > 0) throw new FieldsRejected(issues, content);
	if (unknown.length === 0) return;
	await content.files?.drop(new Set(unknown));
	setFields(
		content,
		content.fields.filter(({ name }) => names.has(name)),
	);
	content.dropped = unknown;
}

/** Special fields that are not stored, such as a honeypot with the name of a rule, are not checked. */
function ruleSetOf(form: Parameters<typeof checkRules>[0]): RuleSet {
	const { fields } = form;
	const known = fields && compiled.get(fields);
	if (known) return known;
	const special = specialNamesOf(form);
	const rules = (fields ?? []).filter(({ name }) => isStored(special.get(name)));
	const made = { check: createFieldCheck(rules), names: new Set(rules.map(({ name }) => name)) };
	if (fields) compiled.set(fields, made);
	return made;
}

const NO_FILES: ReadonlySet<string> = new Set();

export function unknownField(name: string): FieldError {
	const says = ['unknownField', { field: quoteName(name) }] as const;
	return { field: name, code: 'UNKNOWN_FIELD', message: say(...says), says };
}

/** One stretch of one check between two rounds of events, however many checks wait. */
const inOrder = createOneAtATime();
const nextTurn = () => inOrder(() => new Promise<void>((resolve) => setImmediate(resolve)));

/** Runs a check piece by piece, with what the server does in between. */
async function inTurns<T>(check: Checking<T>): Promise<T> {
	let stretch = check.next();
	while (!stretch.done) {
		await nextTurn();
		stretch = check.next();
	}
	return stretch.value;
}

/** Rejects a submission without the address that its form has visitors confirm. @throws FieldsRejected */
export function checkAddress({ confirm, fields }: Pick<FormRow, 'confirm' | 'fields'>, content: Content): void {
	if (confirm === null) return;
	const { field } = confirm;
	// The name of a file is no address, and goes if the file is left out later.
	const isFile = content.files?.fields().has(field) === true;
	if (!isFile && addressIn(content.data, field) !== undefined) return;
	const isMissing = !content.fields.some(({ name, json }) => name === field && json !== '""');
	const says = [isMissing ? 'required' : 'badEmail', { label: labelsOf(fields)(field) }] as const;
	const error: FieldError = { field, code: isMissing ? 'REQUIRED' : 'INVALID_EMAIL', message: say(...says), says };
	throw new FieldsRejected([error], content);
}
