/** Slugs: the public names of forms in their submission addresses. */

import { normalized } from '../text/normalized.ts';
import { randomText } from '../text/random-text.ts';

export const SLUG_MAX = 64;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const SUFFIX_LENGTH = 8;
const STEM_MAX = 40;
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

export function isSlug(text: string): boolean {
	return SLUG.test(text);
}

/** Returns whether it may have been made from the name. */
export function isFromName(slug: string, name: string): boolean {
	const stem = slugFromName(name, () => '');
	return slug.startsWith(stem) && slug.length === stem.length + SUFFIX_LENGTH;
}

/** A slug that contains the name and cannot be guessed: "Contact us!" becomes `contact-us-k3v9x2qm`. */
export function slugFromName(name: string, randomSuffix = () => randomText(ALPHABET, SUFFIX_LENGTH)): string {
	const stem = normalized(name, 'NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.slice(0, STEM_MAX)
		.replace(/^-+|-+$/g, '');
	return stem === '' ? `form-${randomSuffix()}` : `${stem}-${randomSuffix()}`;
}
