/** The fast path for multipart bodies of usual forms: text fields with distinct names. */

import { type FieldLimits, isShortName, type PostedField } from './fields.ts';
import { isBoundary, MAX_BLANKS } from './multipart-reader.ts';
import { decodeUtf8 } from './utf8.ts';

const CRLF = '\r\n';
/** The text between a boundary and the name of a text field, as browsers write it. */
const BEFORE_NAME = `${CRLF}Content-Disposition: form-data; name="`;
const AFTER_NAME = `"${CRLF}${CRLF}`;
const AFTER_LAST = new RegExp(`^--[ \\t\\r\\n]{0,${MAX_BLANKS}}$`);

/** The fields; `undefined` for every other body, valid or not, which is for {@link createMultipartReader}. */
export function readPlainMultipart(
	body: Uint8Array,
	boundary: string | undefined,
	limits: FieldLimits,
): PostedField[] | undefined {
	const source = isBoundary(boundary) ? decodeUtf8(body) : undefined;
	const delimiter = `${CRLF}--${boundary}`;
	if (!source?.startsWith(delimiter.slice(CRLF.length))) return undefined;
	const fields: PostedField[] = [];
	const names = new Set<string>();
	let at = delimiter.length - CRLF.length;
	while (source.startsWith(BEFORE_NAME, at)) {
		const nameStart = at + BEFORE_NAME.length;
		const nameEnd = source.indexOf('"', nameStart);
		const start = nameEnd + AFTER_NAME.length;
		const end = source.indexOf(delimiter, start - CRLF.length);
		if (nameEnd === -1 || end === -1 || !source.startsWith(AFTER_NAME, nameEnd)) return undefined;
		const name = source.slice(nameStart, nameEnd);
		if (/[%\r\n]/.test(name) || !isShortName(name, limits)) return undefined;
		names.add(name);
		fields.push({ name, json: JSON.stringify(source.slice(start, end)) });
		at = end + delimiter.length;
	}
	const isAll = names.size === fields.length && fields.length <= limits.maxFields && AFTER_LAST.test(source.slice(at));
	return isAll ? fields : undefined;
}
