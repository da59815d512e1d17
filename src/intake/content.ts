/** From the bytes of a body to what is stored of it, and what its special fields ask for. */

import { checkName, type FieldLimits, tooManyFields } from './field-limits.ts';
import type { Field } from './field-list.ts';
import { jsonText, kindOfBody, type Media, type MediaKind, readFields } from './read-fields.ts';
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

const writeUrlencoded = createUrlencodedWriter(MAX_CANONICAL_LENGTH);

/**
 * Reads a body; nothing that is kept differs from what was sent.
 * @throws AppError as {@link readFields}
 */
export function readContent(body: Uint8Array, media: Media | 'sniff', limits: FieldLimits): Content {
	const text = asJson(body, kindOfBody(body, media));
	const canonical = text === undefined ? undefined : readCanonical(text, limits);
	return canonical ?? contentOf(readFields(body, media, limits));
}

function asJson(body: Uint8Array, kind: MediaKind): string | undefined {
	if (kind === 'json') return jsonText(body);
	return kind === 'urlencoded' ? writeUrlencoded(body) : undefined;
}

function contentOf(posted: Field[]): Content {
	const { special, fields } = splitSpecialFields(posted);
	return { special, names: fields.map(({ name }) => name), data: dataJson(fields) };
}

/**
 * The usual body: of a script, a flat object written by `JSON.stringify`; of a form, fields that each have one value. Where
 * parsing and writing it again gives the very same text, that text is exact, and the engine's parser has done the work of
 * ours. `undefined` for every other.
 */
function readCanonical(text: string, limits: FieldLimits): Content | undefined {
	if (text.length > MAX_CANONICAL_LENGTH || text.charCodeAt(0) !== 0x7b) return undefined;
	const value = parseFlat(text);
	if (!value || JSON.stringify(value) !== text) return undefined;
	const names = Object.keys(value);
	if (names.length > limits.maxFields) throw tooManyFields(limits);
	for (const name of names) checkName(name, limits);
	if (!names.some(isSpecialName)) return { special: { honeypotFilled: false, captchaTokens: {} }, names, data: text };
	return contentOf(names.map((name) => ({ name, json: JSON.stringify(value[name]) })));
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
