/** From the bytes of a body to what is stored of it, and what its special fields ask for. */

import { lazy } from '../lazy.ts';
import { type FieldLimits, isShortName } from './field-limits.ts';
import type { Field } from './field-list.ts';
import { readPlainMultipart } from './multipart-fields.ts';
import { readPlainJson } from './plain-json.ts';
import { jsonText, kindOfBody, type Media, readFields } from './read-fields.ts';
import { dataJson, isSpecialName, type SpecialFields, splitSpecialFields } from './special-fields.ts';
import { createUrlencodedWriter } from './urlencoded-json.ts';

export interface Content {
	special: SpecialFields;
	/** The names of the fields that are stored; empty if nothing is left to store. */
	names: string[];
	/** The JSON text to store. */
	data: string;
}

/** Bounds how deep text can be nested that is handed to the engine's own, recursive parser. */
const MAX_CANONICAL_LENGTH = 16 * 1024;
const NOTHING_SPECIAL: SpecialFields = { honeypotFilled: false, captchaTokens: {} };

const urlencodedWriter = lazy(() => createUrlencodedWriter(MAX_CANONICAL_LENGTH));

/**
 * Reads a body; nothing that is kept differs from what was sent.
 * @throws AppError as {@link readFields}
 */
export function readContent(body: Uint8Array, media: Media | 'sniff', limits: FieldLimits): Content {
	return readUsual(body, media, limits) ?? contentOf(readFields(body, media, limits));
}

/** The usual body of any kind, by a road that leaves most of the work to the engine; `undefined` for every other, and for what is refused. */
function readUsual(body: Uint8Array, media: Media | 'sniff', limits: FieldLimits): Content | undefined {
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
	if (plain && isOrdinary(plain.names, limits))
		return { special: NOTHING_SPECIAL, names: plain.names, data: plain.text };
	return readCanonical(jsonText(body), limits);
}

function contentOf(posted: Field[]): Content {
	const { special, fields } = splitSpecialFields(posted);
	return { special, names: fields.map(({ name }) => name), data: dataJson(fields) };
}

/**
 * A flat object as `JSON.stringify` writes it. Where parsing and writing it again gives the very same text, that text is
 * exact, and the engine's parser has done the work of ours. `undefined` for every other.
 */
function readCanonical(text: string, limits: FieldLimits): Content | undefined {
	if (text.length > MAX_CANONICAL_LENGTH || text.charCodeAt(0) !== 0x7b) return undefined;
	const value = parseFlat(text);
	return value && JSON.stringify(value) === text ? contentOfFlat(value, text, limits) : undefined;
}

/** @param data The JSON text of `value`, exactly as it is to be stored. */
function contentOfFlat(value: Record<string, unknown>, data: string, limits: FieldLimits): Content | undefined {
	const names = Object.keys(value);
	if (!isWithin(names, limits)) return undefined;
	if (!names.some(isSpecialName)) return { special: NOTHING_SPECIAL, names, data };
	return contentOf(names.map((name) => ({ name, json: JSON.stringify(value[name]) })));
}

/** Whether a body of these names is stored as it is. */
function isOrdinary(names: readonly string[], limits: FieldLimits): boolean {
	return isWithin(names, limits) && !names.some(isSpecialName);
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
