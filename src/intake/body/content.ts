/** Parses a body into the JSON text to store and its special fields. */

import type { SpecialNames } from '../../form-values/aliases.ts';
import type { Dropped } from '../../form-values/dropped-files.ts';
import type { FormRow } from '../../storage/tables.ts';
import { lazy } from '../../tasks/lazy.ts';
import { type FieldLimits, isShortName } from './field-limits.ts';
import type { Field } from './field-list.ts';
import { isMultipart, jsonText, kindOfBody, type Media, readFields } from './media.ts';
import { readPlainMultipart } from './plain-multipart.ts';
import type { RefusedFile } from './refused-files.ts';
import {
	dataJson,
	NOTHING_SPECIAL,
	type SpecialFields,
	specialNamesOf,
	splitSpecialFields,
	USUAL_NAMES,
} from './special-fields.ts';
import type { Upload } from './upload.ts';
import { createUrlencodedWriter } from './urlencoded-json.ts';

export interface Content extends Dropped {
	special: SpecialFields;
	/** The names of the stored fields; empty if there are none. */
	names: readonly string[];
	/** The JSON text to store. */
	data: string;
	/** The files that came with it, if any. */
	files?: Upload;
	/** Those that were left out; they stand in `droppedFiles` too. */
	refused?: readonly RefusedFile[];
}

/** Rules by which a form reads a body. */
export interface ContentRules extends FieldLimits {
	specialNames: SpecialNames;
}

/** Bounds the nesting of text for the runtime's recursive parser. */
const MAX_CANONICAL_LENGTH = 16 * 1024;

const urlencodedWriter = lazy(() => createUrlencodedWriter(MAX_CANONICAL_LENGTH));

/** Makes a function that returns the rules of a form. */
export function createContentRules(limits: FieldLimits) {
	const usual: ContentRules = { ...limits, specialNames: USUAL_NAMES };
	return (form: FormRow): ContentRules => {
		const specialNames = specialNamesOf(form);
		return specialNames === USUAL_NAMES ? usual : { ...limits, specialNames };
	};
}

/**
 * Parses a body; the stored values are exactly the sent ones.
 * @returns `undefined` for a multipart body that is not a usual one, which {@link createMultipartReader} reads.
 * @throws AppError as {@link readFields}
 */
export function readContent(body: Uint8Array, media: Media | 'sniff', rules: ContentRules): Content | undefined {
	const fast = readFast(body, media, rules);
	if (fast || isMultipart(media)) return fast;
	return contentOf(readFields(body, media, rules), rules.specialNames);
}

/** The fast path, which uses the runtime's parsers; `undefined` for unusual and for invalid bodies. */
function readFast(body: Uint8Array, media: Media | 'sniff', rules: ContentRules): Content | undefined {
	const kind = kindOfBody(body, media);
	if (kind === 'multipart') {
		const { boundary = '' } = media as Media;
		const values = body.length > MAX_CANONICAL_LENGTH ? undefined : readPlainMultipart(body, boundary);
		return values && contentOfFlat(values, JSON.stringify(values), rules);
	}
	if (kind === 'urlencoded') {
		const text = urlencodedWriter()(body);
		return text === undefined ? undefined : readCanonical(text, rules);
	}
	return readCanonical(jsonText(body), rules);
}

export function contentOf(posted: Field[], specialNames: SpecialNames): Content {
	const { special, fields } = splitSpecialFields(posted, specialNames);
	return { special, names: fields.map(({ name }) => name), data: dataJson(fields) };
}

/**
 * A flat object that is unchanged by `JSON.parse` and `JSON.stringify`: then the text is exact, and ours need not parse
 * it. `undefined` for every other.
 */
function readCanonical(text: string, rules: ContentRules): Content | undefined {
	if (text.length > MAX_CANONICAL_LENGTH || text.charCodeAt(0) !== 0x7b) return undefined;
	const value = parseFlat(text);
	return value && JSON.stringify(value) === text ? contentOfFlat(value, text, rules) : undefined;
}

/** @param data The JSON text of `value` to store. */
function contentOfFlat(value: Record<string, unknown>, data: string, rules: ContentRules): Content | undefined {
	const names = Object.keys(value);
	if (!isWithin(names, rules)) return undefined;
	const { specialNames } = rules;
	if (!names.some((name) => specialNames.has(name))) return { special: NOTHING_SPECIAL, names, data };
	return contentOf(
		names.map((name) => ({ name, json: JSON.stringify(value[name]) })),
		specialNames,
	);
}

function isWithin(names: readonly string[], limits: FieldLimits): boolean {
	if (names.length > limits.maxFields) return false;
	for (const name of names) {
		if (!isShortName(name, limits)) return false;
	}
	return true;
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
