/** Parses a body into the JSON text to store and its special fields. */

import { lazy } from '../lazy.ts';
import { type FieldLimits, isShortName } from './field-limits.ts';
import type { Field } from './field-list.ts';
import { readPlainJson } from './plain-json.ts';
import { readPlainMultipart } from './plain-multipart.ts';
import { isMultipart, jsonText, kindOfBody, type Media, readFields } from './read-fields.ts';
import type { Reception } from './reception.ts';
import { dataJson, isSpecialName, type SpecialFields, splitSpecialFields } from './special-fields.ts';
import { createUrlencodedWriter } from './urlencoded-json.ts';

export interface Content {
	special: SpecialFields;
	/** The names of the stored fields; empty if there are none. */
	names: readonly string[];
	/** The JSON text to store. */
	data: string;
	/** The files that came with it, if any. */
	files?: Reception;
}

/** Bounds the nesting of text for the runtime's recursive parser. */
const MAX_CANONICAL_LENGTH = 16 * 1024;
const NOTHING_SPECIAL: SpecialFields = { honeypotFilled: false, captchaTokens: {} };

const urlencodedWriter = lazy(() => createUrlencodedWriter(MAX_CANONICAL_LENGTH));

/**
 * Parses a body; the stored values are exactly the sent ones.
 * @returns `undefined` for a multipart body that is not a usual one, which {@link createMultipartReader} reads.
 * @throws AppError as {@link readFields}
 */
export function readContent(body: Uint8Array, media: Media | 'sniff', limits: FieldLimits): Content | undefined {
	const fast = readFast(body, media, limits);
	if (fast || isMultipart(media)) return fast;
	return contentOf(readFields(body, media, limits));
}

/** The fast path, which uses the runtime's parsers; `undefined` for unusual and for invalid bodies. */
function readFast(body: Uint8Array, media: Media | 'sniff', limits: FieldLimits): Content | undefined {
	const kind = kindOfBody(body, media);
	if (kind === 'multipart') {
		const { boundary = '' } = media as Media;
		const values = body.length > MAX_CANONICAL_LENGTH ? undefined : readPlainMultipart(body, boundary);
		return values && contentOfFlat(values, JSON.stringify(values), limits);
	}
	if (kind === 'urlencoded') {
		const text = urlencodedWriter()(body);
		return text === undefined ? undefined : readCanonical(text, limits);
	}
	const plain = body.length > MAX_CANONICAL_LENGTH ? undefined : readPlainJson(body);
	if (plain && isWithin(plain.names, limits)) return { special: NOTHING_SPECIAL, names: plain.names, data: plain.text };
	return readCanonical(jsonText(body), limits);
}

export function contentOf(posted: Field[]): Content {
	const { special, fields } = splitSpecialFields(posted);
	return { special, names: fields.map(({ name }) => name), data: dataJson(fields) };
}

/**
 * A flat object that is unchanged by `JSON.parse` and `JSON.stringify`: then the text is exact, and ours need not parse
 * it. `undefined` for every other.
 */
function readCanonical(text: string, limits: FieldLimits): Content | undefined {
	if (text.length > MAX_CANONICAL_LENGTH || text.charCodeAt(0) !== 0x7b) return undefined;
	const value = parseFlat(text);
	return value && JSON.stringify(value) === text ? contentOfFlat(value, text, limits) : undefined;
}

/** @param data The JSON text of `value` to store. */
function contentOfFlat(value: Record<string, unknown>, data: string, limits: FieldLimits): Content | undefined {
	const names = Object.keys(value);
	if (!isWithin(names, limits)) return undefined;
	if (!names.some(isSpecialName)) return { special: NOTHING_SPECIAL, names, data };
	return contentOf(names.map((name) => ({ name, json: JSON.stringify(value[name]) })));
}

function isWithin(names: readonly string[], limits: FieldLimits): boolean {
	return names.length <= limits.maxFields && names.every((name) => isShortName(name, limits));
}

function parseFlat(text: string): Record<string, unknown> | undefined {
	try {
		const value = JSON.parse(text) as Record<string, unknown>;
		for (const name in value) {
			if (typeof value[name] === 'object' && value[name] !== null) return undefined;
		}
		return value;
	} catch {
		return undefined;
	}
}
