/** Pure: the types that a form takes, in words that visitors know. */

const KINDS: Record<string, string> = {
	'image/*': 'pictures',
	'video/*': 'videos',
	'audio/*': 'sound files',
	'text/*': 'text files',
	'application/*': 'documents',
	'font/*': 'fonts',
	'model/*': 'models',
	'text/plain': 'text files',
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
export function describeTypes(types: readonly string[]): string {
	const names = [...new Set(types.map(nameOf))];
	// Types with a short name come first.
	const sorted = [...names.filter((name) => !isKind(name)), ...names.filter(isKind)];
	const last = sorted.pop() ?? 'no files';
	return sorted.length === 0 ? last : `${sorted.join(', ')} and ${last}`;
}

const isKind = (name: string) => Object.values(KINDS).includes(name);

function nameOf(type: string): string {
	const known = KINDS[type] ?? DOCUMENTS.find(([pattern]) => pattern.test(type))?.[1];
	if (known !== undefined) return known;
	return (type.startsWith('.') ? type.slice(1) : (type.split(/[/.+]|\bx-/).findLast(Boolean) ?? type))
		.replace(/-compressed$/, '')
		.toUpperCase();
}
