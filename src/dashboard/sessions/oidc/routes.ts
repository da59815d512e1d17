/** The two addresses of signing in by OpenID Connect: a browser is sent to the provider, and comes back. */

import { Elysia } from 'elysia';
import type { Config } from '../../../config.ts';
import { AppError } from '../../../errors.ts';
import { networkOf } from '../../../http/client-address.ts';
import { createConcurrencyLimit } from '../../../http/concurrency-limit.ts';
import { errorHeaders, statusOf } from '../../../http/error-responses.ts';
import { actingPage } from '../../../http/openapi.ts';
import { queryOf } from '../../../http/query-parameters.ts';
import type { RateLimiter } from '../../../http/rate-limit.ts';
import { allowToTakeLong, requestInfo } from '../../../http/request-info.ts';
import type { Page } from '../../../intake/pages/page-frame.ts';
import { pageResponse } from '../../../intake/responses.ts';
import type { CountFailure } from '../../../keys/auth.ts';
import type { Keys } from '../../../keys/keys.ts';
import { callerOf } from '../../../keys/permissions.ts';
import type { Log } from '../../../log/log.ts';
import type { Storage } from '../../../storage/contract.ts';
import { createServerSecret } from '../../../storage/server-secret.ts';
import type { SessionCredential } from '../credential.ts';
import { pageOrigin } from '../page-origin.ts';
import type { Sessions } from '../sessions.ts';
import { createFlowCookie } from './flow-cookie.ts';
import { createOidc, type Oidc, SignInProblem } from './oidc.ts';
import { errorPage, OIDC_PATH, problemPage, unknownMemberPage } from './pages.ts';

/** Where the provider sends a browser back to. */
const CALLBACK_PATH = `${OIDC_PATH}/callback`;

interface OidcRoutesOptions {
	config: Pick<Config, 'oidc'>;
	storage: Storage;
	sessions: Sessions;
	keys: Keys;
	credential: SessionCredential;
	/** Shared with the API: sign-ins count as requests of the key. */
	api: RateLimiter;
	countFailure: CountFailure;
	log: Pick<Log, 'warn'>;
	urls: { base: string };
	now: () => number;
}

/** Maximum number of exchanges with the provider at one time, which anyone can cause. */
const EXCHANGES = {
	perCaller: 4,
	inAll: 20,
	waitMs: 5000,
	message: 'Too many people are signing in at once; try again in a few seconds.',
};

export function oidcRoutes({ config, storage, sessions, keys, credential, api, ...options }: OidcRoutesOptions) {
	const { countFailure, log, urls, now } = options;
	const redirectUri = urls.base + CALLBACK_PATH;
	const oidc = config.oidc && createOidc({ provider: config.oidc, redirectUri, now });
	const turns = createConcurrencyLimit(EXCHANGES);
	const cookie = createFlowCookie({
		baseUrl: urls.base,
		secret: createServerSecret(storage, 'oidc_flow_secret'),
		now,
	});

	/** Responds with a page to whatever goes wrong. */
	async function withPages(request: Request, respond: (oidc: Oidc) => Promise<Response>): Promise<Response> {
		if (oidc === null) return show(problemPage('absent'));
		// A program that looks at an address may not use up what it carries.
		if (request.method !== 'GET') return pageResponse(problemPage('invalid'));
		// The provider may be asked three times.
		allowToTakeLong(request);
		let endTurn = () => {};
		try {
			endTurn = await turns.take(networkOf(requestInfo(request).clientAddress));
			return await respond(oidc);
		} catch (error) {
			if (error instanceof SignInProblem) {
				const reason = error.message;
				log.warn('A person could not sign in by OpenID Connect.', { reason, requestId: requestInfo(request).id });
				return show(problemPage(error.kind));
			}
			if (error instanceof AppError && error.code !== 'INTERNAL')
				return show(errorPage(statusOf(error), error.message), errorHeaders(error));
			throw error;
		} finally {
			endTurn();
		}
	}

	function redirect(location: string, cookies: string[]): Response {
		const headers = new Headers({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
		for (const one of cookies) headers.append('Set-Cookie', one);
		return new Response(null, { status: 303, headers });
	}

	/** A page ends what the browser began. */
	const show = (page: Page, headers: Record<string, string> = {}) =>
		pageResponse(page, { ...headers, 'Set-Cookie': cookie.clear() });

	return new Elysia({ name: 'oidc' })
		.get(OIDC_PATH, ({ request }) =>
			withPages(request, async (provider) => {
				// Another page may not have a person signed in again, in place of the session that there is.
				if (pageOrigin(request.headers, urls.base) === 'foreign') return redirect(`${urls.base}/`, []);
				const { url, flow } = await provider.begin();
				return redirect(url.href, [await cookie.write(flow)]);
			}),
		)
		.get(
			CALLBACK_PATH,
			({ request }) =>
				withPages(request, async (provider) => {
					const flow = await cookie.read(request.headers.get('cookie'));
					if (!flow) return failed(request, problemPage('invalid'));
					const query = queryOf(request);
					if (query.get('state') !== flow.state) {
						countFailure(request, { way: 'oidc' });
						// The response to an older tab, or one that another page made up: what the browser began last goes on.
						return pageResponse(problemPage('invalid'));
					}
					const email = await provider.finish(query, flow).catch((error) => {
						const isAway = error instanceof SignInProblem && error.kind === 'away';
						if (!isAway) countFailure(request, { way: 'oidc' });
						throw error;
					});
					const principal = await keys.principalOfMember(email);
					if (!principal) return failed(request, unknownMemberPage(email), email);
					api.take(callerOf(principal));
					const token = await sessions.openWithKey(principal, { way: 'oidc', email });
					// With a caller, the response is recorded as a sign-in.
					requestInfo(request).caller = principal;
					return redirect(`${urls.base}/#/signed-in`, [await credential.replace(request, token), cookie.clear()]);
				}),
			{ detail: actingPage('openSession') },
		);

	function failed(request: Request, page: Page, email?: string): Response {
		countFailure(request, { way: 'oidc', ...(email !== undefined && { email }) });
		return show(page);
	}
}
