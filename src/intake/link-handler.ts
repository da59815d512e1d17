/** The links in mails to visitors: a page with a button for GET, since scanners open links, and the act for POST. */

import type { Confirmations, LinkState } from '../delivery/visitor/confirmations.ts';
import type { VisitorLinks } from '../delivery/visitor/links.ts';
import type { VisitorBounds } from '../delivery/visitor/mail-bounds.ts';
import { noRoute } from '../http/method-guard.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { languageFor } from '../languages/languages.ts';
import type { FormRow } from '../storage/tables.ts';
import type { IntakeRates } from './checks/rates.ts';
import { CONFIRM_PAGES, type LinkPage, linkPage, STOP, STOPPED, WRONG_LINK } from './pages/link-page.ts';
import { pageResponse, translationFor } from './responses.ts';

const METHODS = ['GET', 'HEAD', 'POST'];
/** The path behind the slug; no token of ours is longer. */
const LINK = /^\/(stop|confirm)\/([\w.-]{1,140})$/;

export interface VisitorMails {
	links: Pick<VisitorLinks, 'readStop'>;
	bounds: Pick<VisitorBounds, 'stop'>;
	confirmations: Confirmations;
}

interface LinkHandlerOptions {
	visitors: VisitorMails;
	rates: Pick<IntakeRates, 'takeLink'>;
	fallback: string;
}

export interface Link {
	purpose: 'stop' | 'confirm';
	token: string;
}

/** The link of such a path. */
export function linkIn(rest: string): Link | undefined {
	const [, purpose, token] = LINK.exec(rest) ?? [];
	return purpose === undefined || token === undefined ? undefined : { purpose: purpose as Link['purpose'], token };
}

/** The path for the log, whose readers may not follow the link. */
export function withoutToken(path: string): string {
	return path.replace(/(\/(?:stop|confirm)\/).*/, '$1…');
}

export function createLinkHandler({ visitors, rates, fallback }: LinkHandlerOptions) {
	const { links, bounds, confirmations } = visitors;

	async function stop(request: Request, token: string): Promise<LinkPage> {
		const address = await links.readStop(token);
		if (address === undefined) return WRONG_LINK;
		if (request.method !== 'POST') return STOP;
		await bounds.stop(address);
		return STOPPED;
	}

	async function confirm(request: Request, token: string): Promise<LinkPage> {
		const { method, headers } = request;
		const languageOf = (form: FormRow) => languageFor(form, { headers, fallback });
		const state: LinkState =
			method === 'POST' ? await confirmations.confirm(token, languageOf) : await confirmations.look(token);
		return CONFIRM_PAGES[state];
	}

	/** @param form Only for the look of the pages: who wants no mails can say so when the form is gone. */
	return async ({ request, clientAddress }: RequestInfo, { purpose, token }: Link, form: FormRow | undefined) => {
		if (!METHODS.includes(request.method)) throw noRoute(METHODS);
		rates.takeLink(clientAddress);
		const page = await (purpose === 'stop' ? stop : confirm)(request, token);
		const translation = await translationFor(request, { form, fallback });
		return pageResponse(linkPage(translation, { ...page, accent: form?.pages?.accent }));
	};
}
