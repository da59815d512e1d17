/** Limits and encoders for tests of the body readers. */

import type { PostedField } from '../../../src/intake/body/fields.ts';
import { type Media, mediaKind, readFields } from '../../../src/intake/body/media.ts';
import { createMultipartReader, type FileSink } from '../../../src/intake/body/multipart-reader.ts';
import { filesRejected } from '../../../src/intake/body/refused-files.ts';

export const LIMITS = { maxFields: 1000, maxNameBytes: 256, maxDepth: 32 };
export const JSON_TYPE = 'application/json';
export const URLENCODED_TYPE = 'application/x-www-form-urlencoded';
export const BOUNDARY = '----formBoundary7MA4YWxkTrZu0gW';
export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export type Pair = readonly [name: string, value: string];

/** The sink of a form that takes no files. */
const NO_FILES: FileSink = {
	begin({ field }) {
		throw filesRejected(field);
	},
	write: async () => {},
	end: async () => {},
};

/** Reads a body given as text or bytes. */
export function read(contentType: string | null, body: string | Uint8Array, limits = LIMITS): PostedField[] {
	return readAny(Buffer.from(body as string), mediaKind(contentType), limits);
}

export function readAny(body: Uint8Array, media: Media, limits = LIMITS): PostedField[] {
	const posted = media.kind === 'multipart' ? undefined : readFields(body, media, limits);
	return posted?.fields ?? readMultipart(body, media, limits);
}

/** Reads it as one that arrives in one piece. */
export function readMultipart(body: Uint8Array, media: Media, limits = LIMITS): PostedField[] {
	const reader = createMultipartReader(media.boundary, {
		limits: { ...limits, maxTextBytes: Number.POSITIVE_INFINITY },
		files: NO_FILES,
	});
	void reader.push(body);
	return reader.end();
}

export function urlencoded(pairs: readonly Pair[]): string {
	return new URLSearchParams(pairs.map((pair) => [...pair])).toString();
}

export function part(disposition: string, value: string): string {
	return `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;
}

export const CLOSING = `--${BOUNDARY}--\r\n`;

/** Encodes as browsers do: three characters of a name are escaped. */
export function multipart(pairs: readonly Pair[]): string {
	const escaped = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
	return `${pairs.map(([name, value]) => part(`form-data; name="${escaped(name)}"`, value)).join('')}${CLOSING}`;
}

/** The expected fields: a repeated name at its first place, with all its values. */
export function gathered(pairs: readonly Pair[]): PostedField[] {
	const values = new Map<string, string[]>();
	for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
	return [...values].map(([name, all]) => ({ name, json: JSON.stringify(all.length > 1 ? all : all[0]) }));
}
