/** Decides where a browser goes after a submission: `_next`, the form's own address, or the thank-you page. */

import { hostCovered, sourcePage } from './allowed-domains.ts';

const MAX_URL = 2048;

/** Whether an owner may set `text` as redirectUrl: an absolute http or https URL without user and password. */
export function isRedirectUrl(text: string): boolean {
	return parseTarget(text) !== null;
}

/**
 * The first usable target as an ASCII URL that is safe in a Location header, `null` for the thank-you page.
 * A relative `_next` is resolved against Origin, else Referer. On a form with allowedDomains, or with `strict`
 * on every form, its host has to be covered by them or be that of redirectUrl.
 */
export function redirectTarget(o: {
	next?: string | undefined;
	redirectUrl: string | null;
	allowedDomains: readonly string[];
	origin: string | null;
	referer: string | null;
	strict: boolean;
}): string | null {
	const own = o.redirectUrl === null ? null : parseTarget(o.redirectUrl);
	const next = o.next === undefined ? null : parseTarget(o.next, sourcePage(o));
	if (!next) return own?.href ?? null;
	const isOpen = o.allowedDomains.length === 0 && !o.strict;
	const isAllowed = isOpen || next.host === own?.host || hostCovered(next.host, o.allowedDomains);
	return (isAllowed ? next.href : own?.href) ?? null;
}

function parseTarget(text: string, base?: string | null): URL | null {
	if (text.length > MAX_URL || text.trim() === '') return null;
	const url = URL.parse(text) ?? (base ? URL.parse(text, base) : null);
	if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
	if (url.username !== '' || url.password !== '' || url.href.length > MAX_URL) return null;
	return url;
}
