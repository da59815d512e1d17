/** Pure: content negotiation of the submission endpoint, between JSON and a page. */

import { isFormspreeClient } from './formspree.ts';

interface Preference {
	type: string;
	quality: number;
}

/**
 * Returns whether Accept lists JSON with a quality above 0 and at least that of `text/html`, or the request comes from a script
 * or a Formspree library. A bare wildcard does not count, because every browser sends it.
 */
export function prefersJson(headers: Headers): boolean {
	const accept = headers.get('accept');
	if (accept === 'application/json') return true;
	if (headers.get('x-requested-with')?.toLowerCase() === 'xmlhttprequest') return true;
	if (isFormspreeClient(headers)) return true;
	if (accept === null || accept === '*/*') return false;
	const preferences = accept.split(',', 50).map(parsePreference);
	const json = best(preferences, isJson);
	return json > 0 && json >= best(preferences, (type) => type === 'text/html');
}

/**
 * Returns whether a body that was not read is JSON according to the request. Scripts send JSON as text too; a browser that
 * sends a form as text asks for a page.
 */
export function saysJson(headers: Headers): boolean {
	const type = headers.get('content-type') ?? '';
	if (/^\s*text\/plain\s*(?:;|$)/i.test(type)) return !/\btext\/html\b/i.test(headers.get('accept') ?? '');
	return /^\s*application\/(?:[a-z0-9.!#$&^_-]+\+)?json\s*(?:;|$)/i.test(type);
}

function parsePreference(entry: string): Preference {
	const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
	const quality = parameters.find((parameter) => parameter.startsWith('q='));
	const value = quality === undefined ? 1 : Number(quality.slice(2));
	return { type, quality: value >= 0 && value <= 1 ? value : 0 };
}

function isJson(type: string): boolean {
	return type === 'application/json' || type === 'application/*' || /^application\/[^*]+\+json$/.test(type);
}

function best(preferences: Preference[], matches: (type: string) => boolean): number {
	return Math.max(0, ...preferences.filter(({ type }) => matches(type)).map(({ quality }) => quality));
}
