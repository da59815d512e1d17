/** Slugs: the public names of forms in their submission addresses. */

export const SLUG_MAX = 64;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const SUFFIX_LENGTH = 8;
const STEM_MAX = 40;
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
/** The highest multiple of 36 that fits a byte. */
const UNBIASED_BYTES = 252;

export function isSlug(text: string): boolean {
	return SLUG.test(text);
}

/** A slug that contains the name and cannot be guessed: "Contact us!" becomes `contact-us-k3v9x2qm`. */
export function slugFromName(name: string, randomSuffix: () => string = randomBase36): string {
	const stem = name
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.slice(0, STEM_MAX)
		.replace(/^-+|-+$/g, '');
	return stem === '' ? `form-${randomSuffix()}` : `${stem}-${randomSuffix()}`;
}

function randomBase36(): string {
	let text = '';
	while (text.length < SUFFIX_LENGTH) {
		for (const byte of crypto.getRandomValues(new Uint8Array(SUFFIX_LENGTH - text.length))) {
			if (byte < UNBIASED_BYTES) text += ALPHABET[byte % ALPHABET.length];
		}
	}
	return text;
}
