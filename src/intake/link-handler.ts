/** The links in mails to visitors: a page with a button for GET, since scanners open links, and the act for POST. */

import type { VisitorBounds } from '../delivery/visitor/bounds.ts';
import type { VisitorLinks } from '../delivery/visitor/links.ts';
import { noRoute } from '../http/method-guard.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { FormRow } from '../storage/tables.ts';
import type { IntakeRates } from './checks/rates.ts';
import { linkPage, STOP, STOPPED, WRONG_LINK } from './pages/link-page.ts';
import { pageResponse, translationFor } from './responses.ts';

const METHODS = ['GET', 'HEAD', 'POST'];
/** The path behind the slug; no token of ours is longer. */
const LINK = /^\/stop\/([\w.-]{1,100})$/;

export interface VisitorMails {
	links: Pick<VisitorLinks, 'readStop'>;
	bounds: Pick<VisitorBounds, 'stop'>;
}

interface LinkHandlerOptions {
	visitors: VisitorMails;
	rates: Pick<IntakeRates, 'takeLink'>;
	fallback: string;
}

/** The token of such a path. */
export const tokenIn = (rest: string): string | undefined => LINK.exec(rest)?.[1];

export function createLinkHandler({ visitors: { links, bounds }, rates, fallback }: LinkHandlerOptions) {
	/** @param form Only for the look of the pages: who wants no mails can say so when the form is gone. */
	return async ({ request, clientAddress }: RequestInfo, token: string, form: FormRow | undefined) => {
		const { method } = request;
		if (!METHODS.includes(method)) throw noRoute(METHODS);
		rates.takeLink(clientAddress);
		const address = await links.readStop(token);
		if (address !== undefined && method === 'POST') await bounds.stop(address);
		const valid = method === 'POST' ? STOPPED : STOP;
		const page = { ...(address === undefined ? WRONG_LINK : valid), accent: form?.pages?.accent };
		return pageResponse(linkPage(await translationFor(request, { form, fallback }), page));
	};
}
