/** Detects the type of a file by its first bytes, and whether a form accepts it. The client's claims prove nothing. */

import type * as Library from 'file-type';
import { lazy } from '../tasks/lazy.ts';
import { extensionOf } from './file-name.ts';

/** Enough for the description of an office document in most cases. */
export const HEAD_BYTES = 16 * 1024;

const TEXT = 'text/plain';
const UNKNOWN = 'application/octet-stream';
/** Types in which others are packed, so that the first bytes may show no more than the package. */
const PACKED_IN: Record<string, RegExp> = {
	'application/zip':
		/^\.(?:docx|docm|dotx|xlsx|xlsm|xltx|pptx|pptm|potx|ppsx|odt|ods|odp|odg|epub|pages|numbers|key|jar|apk)$/,
	'application/x-cfb': /^\.(?:doc|dot|xls|xlt|ppt|pps|pot|msg|vsd)$/,
	'application/xml': /^\.(?:xml|svg|kml|gpx|xhtml|rss)$/,
};
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';
/** Media types that forms ask for and the content may not show: because it is packed, has no signature, or is called otherwise. */
const EXTENSION_OF: Record<string, string> = {
	'application/msword': '.doc',
	'application/vnd.ms-excel': '.xls',
	'application/vnd.ms-powerpoint': '.ppt',
	[`${OFFICE}.wordprocessingml.document`]: '.docx',
	[`${OFFICE}.spreadsheetml.sheet`]: '.xlsx',
	[`${OFFICE}.presentationml.presentation`]: '.pptx',
	[`${OPEN_DOCUMENT}.text`]: '.odt',
	[`${OPEN_DOCUMENT}.spreadsheet`]: '.ods',
	[`${OPEN_DOCUMENT}.presentation`]: '.odp',
	'application/epub+zip': '.epub',
	'application/x-zip-compressed': '.zip',
	'application/json': '.json',
	'image/svg+xml': '.svg',
	'image/jpg': '.jpg',
	'audio/mp3': '.mp3',
};
const SAME_EXTENSION: Record<string, string> = { '.jpeg': '.jpg', '.tiff': '.tif', '.htm': '.html' };

/** Loaded with the first file, since most servers never see one; at once, since bodies pile up in memory while one waits. */
const library = lazy(() => require('file-type') as typeof Library);

export interface FileType {
	type: string;
	/** With a dot; `undefined` if the content has no signature. */
	extension: string | undefined;
}

/** @param head The first {@link HEAD_BYTES} of the file, or all of it. */
export async function detectType(head: Uint8Array): Promise<FileType> {
	const { fileTypeFromBuffer } = library();
	const found = await fileTypeFromBuffer(head).catch(() => undefined);
	if (found) return { type: found.mime, extension: `.${found.ext}` };
	return { type: isText(head) ? TEXT : UNKNOWN, extension: undefined };
}

/**
 * Returns whether an entry, such as `image/*`, `application/pdf` or `.docx`, covers the file. A file with a signature
 * is judged by that alone; what has none, such as `.csv`, by its name, if it is a text.
 */
export async function isAllowedType(
	entries: readonly string[],
	{ name, found }: { name: string; found: FileType },
): Promise<boolean> {
	if (entries.length === 0) return true;
	const { supportedExtensions, supportedMimeTypes } = library();
	const named = canonical(extensionOf(name));

	function allowsExtension(entry: string): boolean {
		if (named !== entry) return false;
		if (found.extension === entry || PACKED_IN[found.type]?.test(entry)) return true;
		return found.type === TEXT && !supportedExtensions.has(entry.slice(1) as never);
	}

	function allowsType(entry: string): boolean {
		if (entry.endsWith('/*')) return found.type.startsWith(entry.slice(0, -1));
		if (found.type === entry) return true;
		const extension = EXTENSION_OF[entry];
		if (extension !== undefined) return allowsExtension(extension);
		return found.type === TEXT && entry.startsWith('text/') && !supportedMimeTypes.has(entry as never);
	}

	return entries.some((entry) => (entry.startsWith('.') ? allowsExtension(canonical(entry)) : allowsType(entry)));
}

function canonical(extension: string): string {
	return SAME_EXTENSION[extension] ?? extension;
}

/** Valid UTF-8 without controls that no text has; the last character may be cut off. */
function isText(head: Uint8Array): boolean {
	try {
		return !/(?!\s)\p{Cc}/u.test(new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }));
	} catch {
		return false;
	}
}
