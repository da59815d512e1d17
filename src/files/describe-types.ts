/** Pure: the types that a form takes, in words that visitors know. */

import type { Key } from '../languages/catalogue.ts';
import type { Value } from '../languages/translation.ts';

const KINDS: Record<string, Key> = {
	'image/*': 'pictures',
	'video/*': 'videos',
	'audio/*': 'sounds',
	'text/*': 'texts',
	'application/*': 'documents',
	'font/*': 'fonts',
	'model/*': 'models',
	'text/plain': 'texts',
};
/** The names of documents that are called by a program, by their extensions and the ends of their media types. */
const DOCUMENTS: [pattern: RegExp, name: string][] = [
	[/(?:^\.docx?|\/msword|wordprocessingml\.document)$/, 'Word'],
	[/(?:^\.xlsx?|\/vnd\.ms-excel|spreadsheetml\.sheet)$/, 'Excel'],
	[/(?:^\.pptx?|\/vnd\.ms-powerpoint|presentationml\.presentation)$/, 'PowerPoint'],
	[/(?:^\.odt|opendocument\.text)$/, 'ODT'],
	[/(?:^\.ods|opendocument\.spreadsheet)$/, 'ODS'],
	[/(?:^\.jpe?g|\/jpe?g)$/, 'JPEG'],
	[/(?:^\.zip|\/x-zip-compressed)$/, 'ZIP'],
	[/^audio\/mpeg$/, 'MP3'],
	[/\/svg\+xml$/, 'SVG'],
];

/** As in "PDF, Word and pictures". */
export function describeTypes(types: readonly string[]): Value {
	const kinds = new Set(types.flatMap((type) => KINDS[type] ?? []));
	const names = new Set(types.filter((type) => KINDS[type] === undefined).map(nameOf));
	// Types with a short name come first.
	return { list: [...names, ...[...kinds].map((kind) => ({ says: [kind] as const }))] };
}

function nameOf(type: string): string {
	const known = DOCUMENTS.find(([pattern]) => pattern.test(type))?.[1];
	if (known !== undefined) return known;
	return (type.startsWith('.') ? type.slice(1) : (type.split(/[/.+]|\bx-/).findLast(Boolean) ?? type))
		.replace(/-compressed$/, '')
		.toUpperCase();
}
