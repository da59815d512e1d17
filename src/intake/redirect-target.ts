/** Pure: the redirect target after a submission: `_next`, the form's redirect URL, or the thank-you page. */

import { type HeaderReader, sourcePage, urlCovered } from '../forms/allowed-domains.ts';
import { parseRedirectUrl } from '../forms/redirect-url.ts';
import type { FormRow } from '../storage/tables.ts';

/**
 * The first usable target as an ASCII URL that is safe in a Location header, `null` for the thank-you page.
 * A relative `_next` is resolved against Origin, else Referer. On a form with allowedDomains, or with `strict`
 * on every form, they must cover its host unless it is that of redirectUrl.
 */
export function redirectTarget(
	{ redirectUrl, allowedDomains }: Pick<FormRow, 'redirectUrl' | 'allowedDomains'>,
	{ next: sent, headers, strict }: { next?: string | undefined; headers: HeaderReader; strict: boolean },
): string | null {
	const own = redirectUrl === null ? null : parseRedirectUrl(redirectUrl);
	const next = sent === undefined ? null : parseRedirectUrl(sent, sourcePage(headers));
	if (!next) return own?.href ?? null;
	const isOpen = allowedDomains.length === 0 && !strict;
	const isAllowed = isOpen || next.host === own?.host || urlCovered(next, allowedDomains);
	return (isAllowed ? next.href : own?.href) ?? null;
}
