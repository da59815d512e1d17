/** Names for files in a folder or an archive: safe and distinct on every system. */

import { normalized } from '../text/normalized.ts';
import { stemLength } from './file-name.ts';

/** Limit of a name in UTF-8; common file systems allow 255. */
const MAX_BYTES = 200;
/** Characters that Windows does not allow in names, and those that reorder or hide text. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029<>:"/\\|?*]/gu;
/** Devices of Windows, with any extension, also after blanks. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\s*(?:\.|$))/i;
/** Characters that Windows drops at the end of a name. */
const UNFIT_END = /[\s.]+$/;

/** @returns a function from the name of a file to one that it did not return yet, nor is `reserved` */
export function createSafeNames(reserved: readonly string[] = []): (name: string) => string {
	// Some systems take names for the same that differ in case, or in how accents are written.
	const keyOf = (name: string) => normalized(name, 'NFKC').toLowerCase();
	const taken = new Set(reserved.map(keyOf));
	return (name) => {
		const safe = safeName(name);
		for (let number = 1; ; number++) {
			const candidate = number === 1 ? safe : withSuffix(safe, ` (${number})`);
			if (taken.has(keyOf(candidate))) continue;
			taken.add(keyOf(candidate));
			return candidate;
		}
	};
}

function safeName(name: string): string {
	const visible = normalized(name, 'NFC')
		.replace(UNFIT, '_')
		.replace(DEVICE, '_$&')
		.replace(/^[.\-~ ]/, '_');
	return withSuffix(visible.replace(UNFIT_END, '') || 'file', '');
}

/** With the suffix before the extension, cut to what a name may have. */
function withSuffix(name: string, suffix: string): string {
	const whole = name.slice(stemLength(name));
	const extension = Buffer.byteLength(whole) <= MAX_BYTES / 4 ? whole : '';
	let stem = '';
	let left = MAX_BYTES - Buffer.byteLength(extension + suffix);
	for (const character of name.slice(0, name.length - extension.length)) {
		left -= Buffer.byteLength(character);
		if (left < 0) break;
		stem += character;
	}
	return (stem.trimEnd() + suffix + extension).replace(UNFIT_END, '');
}
