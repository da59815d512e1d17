/** The pages of the links in mails to visitors: one with a button, because programs open links too, and what came of it. */

import type { LinkState } from '../../delivery/visitor/confirmations.ts';
import type { Key } from '../../languages/catalogue.ts';
import type { Translation } from '../../languages/translation.ts';
import { html } from '../../text/html.ts';
import { type Page, renderPage } from './page-frame.ts';

export interface LinkPage {
	title: Key;
	text: Key;
	/** The words of the button, which posts to the address of the page. */
	button?: Key;
	status?: number;
	accent?: string | null | undefined;
}

export const STOP: LinkPage = { title: 'stopTitle', text: 'stopText', button: 'visitorStop' };
export const STOPPED: LinkPage = { title: 'stoppedTitle', text: 'stoppedText' };
export const WRONG_LINK: LinkPage = { title: 'linkWrongTitle', text: 'linkWrongText', status: 404 };

/** By what comes of the link. */
export const CONFIRM_PAGES: Readonly<Record<LinkState, LinkPage>> = {
	waiting: { title: 'confirmTitle', text: 'confirmPageText', button: 'confirmButton' },
	confirmed: { title: 'confirmedTitle', text: 'confirmedText' },
	full: { title: 'fullTitle', text: 'full', status: 403 },
	taken: { title: 'unsentTitle', text: 'confirmTakenText', status: 409 },
	gone: { title: 'confirmGoneTitle', text: 'confirmGoneText', status: 410 },
	wrong: WRONG_LINK,
};

export function linkPage(translation: Translation, { title, text, button, status = 200, accent }: LinkPage): Page {
	const { say } = translation;
	const doneMark = button ? 'letter' : 'done';
	return renderPage({
		translation,
		status,
		title: say(title),
		mark: status >= 400 ? 'rejected' : doneMark,
		accent,
		body: html`<p class="lead">${say(text)}</p>
${button && html`<form method="post"><button>${say(button)}</button></form>`}`,
		...(button && { formAction: "'self'" }),
	});
}
