/** The name under which an attached file is shown: that of the client, made harmless. */

const MAX_CHARACTERS = 200;
const MAX_EXTENSION_CHARACTERS = 20;
/** Controls, line ends, and marks that turn the direction of text, by which `exe.pdf` can be made of `fdp.exe`. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/gu;
/** From where it begins: tried from each of many blanks in the middle it would take a time that grows with their square. */
const UNFIT_END = /(?<![\s.])[\s.]+$/;
const NAMELESS = 'file';

/** The last part of a path, without what cannot be seen, without dots and blanks at its end, at most 200 characters. */
export function cleanFileName(sent: string): string {
	const last = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1);
	const name = last.replace(UNPRINTABLE, '').replace(/^\s+/, '').replace(UNFIT_END, '');
	return name === '' ? NAMELESS : shorten(name);
}

/** In lower case with its dot, such as `.pdf`; empty if there is none. */
export function extensionOf(name: string): string {
	return name.slice(stemLength(name)).toLowerCase();
}

/** Where the extension begins: lower case may have another length. */
export function stemLength(name: string): number {
	const dot = name.lastIndexOf('.');
	return dot <= 0 ? name.length : dot;
}

/** Keeps the extension, by which people and programs recognise the type. */
function shorten(name: string): string {
	const characters = Array.from(name);
	if (characters.length <= MAX_CHARACTERS) return name;
	const extension = name.slice(stemLength(name));
	const tail = Array.from(extension).length <= MAX_EXTENSION_CHARACTERS ? extension : '';
	return (
		characters
			.slice(0, MAX_CHARACTERS - Array.from(tail).length)
			.join('')
			.replace(UNFIT_END, '') + tail
	);
}
