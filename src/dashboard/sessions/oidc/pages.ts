/** The pages for people whom a provider did not bring into the dashboard. */

import { type Page, renderPage } from '../../../intake/pages/page-frame.ts';
import { inEnglish } from '../../../languages/translations.ts';
import { html } from '../../../text/html.ts';
import { notAMember } from '../person.ts';

/** Where a browser starts to sign in by OpenID Connect. */
export const OIDC_PATH = '/api/session/oidc';

const PAGES = {
	away: {
		status: 503,
		title: 'The sign-in service cannot be reached',
		text: 'It does not respond as it should; the log of this server says how. Please try again in a while.',
	},
	refused: { status: 403, title: 'You are not signed in', text: 'The sign-in service did not let you in.' },
	invalid: {
		status: 400,
		title: 'This sign-in has ended',
		text: 'It took too long, was used before, or was begun in another browser. Please start again.',
	},
	unverified: {
		status: 403,
		title: 'Your mail address is not verified',
		text: 'The sign-in service does not say that the mail address of your account is yours. Ask its operator to verify it.',
	},
	absent: { status: 404, title: 'There is no single sign-on', text: 'This server has none. Sign in with a key.' },
};

type Problem = keyof typeof PAGES;

export const problemPage = (problem: Problem): Page => page(PAGES[problem]);

export const unknownMemberPage = (email: string): Page =>
	page({ status: 403, title: 'You are not a member here', text: notAMember(email) });

export const errorPage = (status: number, text: string): Page => page({ status, title: 'You are not signed in', text });

function page({ status, title, text }: { status: number; title: string; text: string }): Page {
	return renderPage({
		translation: inEnglish(),
		status,
		title,
		mark: 'rejected',
		body: html`<p class="lead">${text}</p>
<p><a href="${OIDC_PATH}">Try again</a> · <a href="/">Other ways to sign in</a></p>`,
	});
}
