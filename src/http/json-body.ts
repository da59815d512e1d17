/** Reads and validates the JSON body of a management request; called after authentication, so that schemas stay private. */

import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { AppError, type FieldError, rejectFaults } from '../errors.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { lostDigitsIn, parseJson } from '../text/exact-json.ts';
import { repeatedName } from '../text/json-string.ts';
import { collectChunks } from './collect-chunks.ts';
import { NULL_IS_ABSENT } from './schema-types.ts';

const MIB = 1024 * 1024;
/** More than any body needs; what goes through a value level by level needs stack for each. */
const MAX_DEPTH = 4000;
const MAX_FIELD_ERRORS = 20;
const JSON_MEDIA_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
/** An escape of half a character, or of NUL. */
const SUSPICIOUS_ESCAPE = /\\u(?:[dD][89a-fA-F]|0000)/;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * @param keepsDigits For what passes values on as they are: else a number whose digits JavaScript does not keep is rejected.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_BODY, or VALIDATION_ERROR that names every
 * invalid field.
 */
export async function readJson<T extends TObject>(
	request: Request,
	schema: T,
	{ maxBytes = MIB, keepsDigits = false } = {},
): Promise<Static<T>> {
	const mediaType = request.headers.get('content-type');
	if (mediaType === null || !JSON_MEDIA_TYPE.test(mediaType)) {
		throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON, with "Content-Type: application/json".');
	}
	const text = await readText(request, maxBytes);
	const value = parse(text);
	if (value === null || typeof value !== 'object' || Array.isArray(value)) {
		throw new AppError('INVALID_BODY', 'The body must be a JSON object.');
	}
	if (isDeeper(value, MAX_DEPTH)) {
		throw new AppError(
			'INVALID_BODY',
			`Objects and arrays of the body may be nested at most ${MAX_DEPTH} levels deep.`,
		);
	}
	checkNames(text);
	if (SUSPICIOUS_ESCAPE.test(text)) checkStorable(value);
	if (!keepsDigits) checkDigits(value);
	checkShape(schema, value);
	checkTexts(schema, value);
	return withDefaults(schema, value as Record<string, unknown>) as Static<T>;
}

function withDefaults(schema: TObject, value: Record<string, unknown>): object {
	const isSent = ([name, member]: [string, unknown]) =>
		member !== null || schema.properties[name]?.[NULL_IS_ABSENT as unknown as string] === undefined;
	return Object.fromEntries(Object.entries(value).filter(isSent));
}

async function readText(request: Request, maxBytes: number): Promise<string> {
	checkSize(Number(request.headers.get('content-length') ?? 0), maxBytes);
	const bytes = await readBytes(request, maxBytes);
	try {
		return decoder.decode(bytes);
	} catch (cause) {
		throw new AppError('INVALID_BODY', 'The body is not valid UTF-8.', { cause });
	}
}

async function readBytes({ body }: Request, maxBytes: number): Promise<Uint8Array> {
	return body === null ? new Uint8Array() : collectChunks(body, (total) => checkSize(total, maxBytes));
}

function checkSize(bytes: number, maxBytes: number): void {
	if (bytes > maxBytes)
		throw new AppError('PAYLOAD_TOO_LARGE', `The body must not be larger than ${roughSize(maxBytes)}.`);
}

function parse(text: string): unknown {
	try {
		return parseJson(text);
	} catch (cause) {
		// Also thrown for nesting too deep for the parser.
		throw new AppError('INVALID_BODY', 'The body is not valid JSON.', { cause });
	}
}

function isDeeper(value: unknown, levels: number): boolean {
	if (value === null || typeof value !== 'object') return false;
	return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** The last of two members with one name would count, without a word on the other. @throws AppError VALIDATION_ERROR */
function checkNames(text: string): void {
	const field = repeatedName(text);
	if (field === undefined) return;
	rejectFaults([{ field, code: 'DUPLICATE', message: `${field} is there twice: leave one of them out.` }]);
}

/**
 * A lone surrogate would be read back as another character, and not every database takes NUL.
 * @throws AppError INVALID_BODY
 */
function checkStorable(value: unknown, path: readonly string[] = []): void {
	if (typeof value === 'object' && value !== null) {
		for (const [name, member] of Object.entries(value)) {
			checkStorable(name, path);
			checkStorable(member, [...path, name]);
		}
	}
	if (typeof value !== 'string') return;
	const isWhole = value.isWellFormed();
	if (isWhole && !value.includes('\0')) return;
	const field = path.join('.');
	const found = isWhole
		? 'the character NUL, "\\u0000": leave it out'
		: 'half of a character, a lone surrogate such as "\\ud800"';
	const message = `${field || 'The body'} holds ${found}.`;
	throw new AppError('INVALID_BODY', message, field ? { fields: [{ field, code: 'INVALID_TEXT', message }] } : {});
}

/** @throws AppError VALIDATION_ERROR */
export function checkDigits(value: object): void {
	const field = lostDigitsIn(value);
	if (field === undefined) return;
	const message = `${field} has more digits than a number keeps, about 16: write fewer, or a text where it may be one.`;
	rejectFaults([{ field, code: 'TOO_MANY_DIGITS', message }]);
}

/** @throws AppError VALIDATION_ERROR that names every member of another type than the schema has */
export function checkShape(schema: TObject, value: object): void {
	if (Value.Check(schema, value)) return;
	const byField = new Map<string, FieldError>();
	for (const error of precise(Value.Errors(schema, value))) {
		const issue = toFieldError(error);
		if (!byField.has(issue.field)) byField.set(issue.field, issue);
		if (byField.size === MAX_FIELD_ERRORS) break;
	}
	const fields = [...byField.values()];
	throw new AppError('VALIDATION_ERROR', fields[0]?.message ?? 'The body is not valid.', { fields });
}

/** Yields the errors inside a member that has the right type: an object, a list or a member of a union. */
function* precise(errors: Iterable<ValueError>): Generator<ValueError> {
	for (const error of errors) {
		const options: TSchema[] = error.schema.anyOf ?? [];
		const { value } = error;
		const sent = Array.isArray(value) ? 'array' : value !== null && typeof value;
		const isNested = sent === 'array' || sent === 'object';
		const inside = isNested ? error.errors[options.findIndex(({ type }) => type === sent)] : undefined;
		if (inside) yield* precise(inside);
		else yield error;
	}
}

function toFieldError({ type, path, schema }: ValueError): FieldError {
	const field = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
	if (type === ValueErrorType.ObjectRequiredProperty) {
		return { field, code: 'REQUIRED', message: `${field} is required.` };
	}
	if (type === ValueErrorType.ObjectAdditionalProperties) {
		const known = Object.keys(schema.properties).join(', ');
		const rest = known === '' ? 'There are none.' : `Known are: ${known}.`;
		return { field, code: 'UNKNOWN_FIELD', message: `"${field}" is not known here. ${rest}` };
	}
	return { field, code: 'INVALID_TYPE', message: `${field} must be ${describe(schema)}.` };
}

function listsLast({ type }: TSchema): number {
	return type === 'array' ? 1 : 0;
}

/**
 * Rejects an empty text for an optional member: the client has probably lost the value, and to take it for "none" would
 * create a key that never expires, or one for all forms.
 */
function checkTexts(schema: TObject, value: object): void {
	const sent = value as Record<string, unknown>;
	const fields = Object.entries(schema.properties).flatMap(([field, member]) => {
		const options: TSchema[] = member.anyOf ?? [member];
		const isText = options.some(({ type }) => type === 'string');
		if (sent[field] !== '' || !isText || schema.required?.includes(field)) return [];
		const otherwise = options.some(({ type }) => type === 'null') ? 'null for none' : 'leave it out';
		return [{ field, code: 'EMPTY', message: `${field} must not be an empty text: send a value, or ${otherwise}.` }];
	});
	rejectFaults(fields);
}

function describe(schema: TSchema): string {
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	const options: TSchema[] = schema.anyOf ?? [];
	// Arrays come last: "each item a text or null" would be ambiguous.
	if (options.length > 0)
		return options
			.toSorted((a, b) => listsLast(a) - listsLast(b))
			.map(describe)
			.join(' or ');
	const words: Record<string, string> = {
		string: schema.maxLength === undefined ? 'a text' : `a text of up to ${schema.maxLength} characters`,
		boolean: 'true or false',
		integer: `a whole number${boundsOf(schema)}`,
		number: `a number${boundsOf(schema)}`,
		null: 'null',
		array: `a list${countOf(schema)}${schema.items ? `, each item ${describe(schema.items)}` : ''}`,
		object: 'an object',
	};
	return words[schema.type] ?? 'valid';
}

function countOf({ minItems, maxItems }: TSchema): string {
	if (maxItems === undefined) return '';
	return minItems === undefined ? ` of up to ${maxItems}` : ` of ${minItems} to ${maxItems}`;
}

function boundsOf({ minimum, maximum }: TSchema): string {
	if (minimum === undefined) return '';
	return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
}
