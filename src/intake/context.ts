/** Data kept of a submission beside its fields, if its form wants that: from the request, which a program may forge. */

import type { ContextRules } from '../form-values/context-rules.ts';
import type { HeaderReader } from '../forms/allowed-domains.ts';
import { coarseNetworkOf } from '../http/client-address.ts';
import { withoutHalf } from '../text/cut-text.ts';
import { parseUrl } from '../text/web-address.ts';

const MAX_PAGE = 2048;
const MAX_AGENT = 512;
const MAX_UTM = 200;
const MAX_UTMS = 10;
const UTM = /^utm_([a-z_]{1,32})$/;

interface Stated {
	headers: HeaderReader;
	/** Stated by a correction, because the page before was the server's own. */
	page?: string | undefined;
}

interface Sender extends Stated {
	clientAddress: string;
}

/** Members for `meta`; what the request does not tell is left out. */
export function contextOf(rules: ContextRules, sender: Sender): Record<string, unknown> {
	const { headers, clientAddress } = sender;
	const page = rules.page || rules.utm ? pageOf(sender) : null;
	const utm = rules.utm && page ? utmOf(page) : {};
	const agent = rules.agent ? headers.get('user-agent')?.slice(0, MAX_AGENT) : undefined;
	const address = { none: undefined, network: coarseNetworkOf(clientAddress), full: clientAddress }[rules.address];
	return {
		...(rules.page && page && { page: `${page.origin}${page.pathname}`.slice(0, MAX_PAGE) }),
		...(Object.keys(utm).length > 0 && { utm }),
		...(address && { address }),
		...(agent && { agent }),
	};
}

/** The page as the browser states it; by default it tells other origins only its own. Empty if it does not. */
export function statedPage({ headers, page }: Stated): string {
	return page ?? headers.get('referer') ?? headers.get('origin') ?? '';
}

function pageOf(stated: Stated): URL | null {
	const url = parseUrl(statedPage(stated));
	return url && /^https?:$/.test(url.protocol) ? url : null;
}

/** By their names without `utm_`, the first of each. */
function utmOf({ searchParams }: URL): Record<string, string> {
	const found = new Map<string, string>();
	for (const [name, value] of searchParams) {
		const key = UTM.exec(name)?.[1];
		if (key && value !== '' && !found.has(key) && found.size < MAX_UTMS)
			found.set(key, withoutHalf(value.slice(0, MAX_UTM)));
	}
	return Object.fromEntries(found);
}
