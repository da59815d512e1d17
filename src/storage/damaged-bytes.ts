/** Pure: whether a stored text is still what was stored, as far as its bytes show; see `damage.ts`. */

import { isUtf8 } from 'node:buffer';
import { isJson } from './damage.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
/** A larger text, which takes a raised limit of bodies, would take several times its size to parse, and hold up all others. */
const PARSED_MAX_BYTES = 2 * 1024 * 1024;

/** A text above 2 MiB is not parsed: it counts as JSON if it is UTF-8 and has the braces of an object. */
export function isJsonInUtf8(bytes: Uint8Array): boolean {
	if (bytes.length > PARSED_MAX_BYTES) return isUtf8(bytes) && bytes[0] === 0x7b && bytes.at(-1) === 0x7d;
	try {
		return isJson(decoder.decode(bytes));
	} catch {
		return false;
	}
}
