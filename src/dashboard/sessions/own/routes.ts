/** Routes that open, read, switch and close a dashboard session. */

import { Elysia } from 'elysia';
import { VERSION } from '../../../config/version.ts';
import { AppError, invalidField } from '../../../errors.ts';
import type { Forms } from '../../../forms/forms.ts';
import { readJson } from '../../../http/json-body.ts';
import { jsonBody, jsonResponse, operation } from '../../../http/openapi.ts';
import type { RateLimiter } from '../../../http/rate-limit.ts';
import { requestInfo } from '../../../http/request-info.ts';
import { successResponse } from '../../../http/success.ts';
import type { CountFailure } from '../../../keys/auth.ts';
import type { Keys } from '../../../keys/keys.ts';
import { callerOf, unauthorized } from '../../../keys/permissions.ts';
import type { SessionCookie } from '../cookie.ts';
import type { SessionCredential } from '../credential.ts';
import { OIDC_PATH } from '../oidc/pages.ts';
import { checkOwnPage, isFromOwnName, pageOrigin } from '../page-origin.ts';
import { notAMember, type PersonOf, UNCLEAR } from '../person.ts';
import { OpenSession, SessionView, SignInWays, SwitchMode } from '../schema.ts';
import type { Session, Sessions } from '../sessions.ts';

interface SessionRoutesOptions {
	sessions: Sessions;
	keys: Keys;
	forms: Forms;
	cookie: SessionCookie;
	credential: SessionCredential;
	/** Shared with the API: sign-ins count as requests of the key. */
	api: RateLimiter;
	/** Shared with the API: failed sign-ins count as wrong keys. */
	countFailure: CountFailure;
	personOf: PersonOf;
	hasOidc: boolean;
	urls: { base: string; submit: string };
}

/** A key or a token. Small, because clients are unauthenticated here. */
const MAX_PROOF_BYTES = 4 * 1024;

const NO_PERSON = 'No trusted proxy says by one mail address who you are.';

const EXAMPLE = {
	mode: 'live',
	modes: ['live', 'test'],
	permissions: ['admin'],
	form: null,
	forms: null,
	keyId: null,
	version: VERSION,
	baseUrl: 'https://forms.example.com',
	submitUrl: 'https://f.example.com',
	expiresAt: '2026-01-02T15:04:05.678Z',
};
const sessionResponse = (description: string) => jsonResponse(description, { schema: SessionView, example: EXAMPLE });

export function sessionRoutes(options: SessionRoutesOptions) {
	const { sessions, keys, forms, cookie, credential, api, countFailure, personOf, hasOidc, urls } = options;

	async function ownSession(request: Request): Promise<{ token: string; session: Session }> {
		const found = await credential.find(request);
		if (!found) throw unauthorized('missing');
		requestInfo(request).caller = found.session.principal;
		api.take(callerOf(found.session.principal));
		return found;
	}

	/** @returns the token of a new session. @throws AppError UNAUTHORIZED, FORBIDDEN, RATE_LIMITED, VALIDATION_ERROR */
	async function open(request: Request, { key, token, proxy }: OpenSession): Promise<string> {
		if ([key, token, proxy].filter((proof) => proof !== undefined).length !== 1) {
			throw invalidField('key', 'REQUIRED', 'One of key, token and proxy is required, and only one.');
		}
		if (proxy) return openByProxy(request);
		if (token !== undefined) return sessions.openWithLink(token);
		const principal = await keys.authenticate(key);
		api.take(callerOf(principal));
		return sessions.openWithKey(principal);
	}

	async function openByProxy(request: Request): Promise<string> {
		// The proxy vouches for every request of the browser, also for one that another page sends.
		if (!isFromOwnName(request.headers, urls.base)) {
			throw new AppError('FORBIDDEN', `Only the dashboard at ${urls.base} can open a session by a proxy.`);
		}
		const email = personOf(request) ?? UNCLEAR;
		const principal = email === UNCLEAR ? undefined : await keys.principalOfMember(email);
		if (!principal) {
			countFailure(request, { way: 'proxy', ...(email && { email }) });
			throw new AppError('UNAUTHORIZED', email === UNCLEAR ? NO_PERSON : notAMember(email));
		}
		api.take(callerOf(principal));
		return sessions.openWithKey(principal, { way: 'proxy', email });
	}

	async function signIn(request: Request): Promise<string> {
		if (pageOrigin(request.headers, urls.base) === 'foreign') {
			throw new AppError('FORBIDDEN', 'Only the dashboard itself can open a session in a browser.');
		}
		const proof = await readJson(request, OpenSession, { maxBytes: MAX_PROOF_BYTES });
		try {
			return await open(request, proof);
		} catch (error) {
			if (proof.proxy || !(error instanceof AppError && error.code === 'UNAUTHORIZED')) throw error;
			countFailure(request, { way: proof.key === undefined ? 'link' : 'key' });
			throw unknownProof(error);
		}
	}

	async function view(request: Request, token: string): Promise<SessionView> {
		const session = await sessions.find(token, { isUse: true });
		if (!session) throw unauthorized('missing');
		const { principal, modes, expiresAt } = session;
		requestInfo(request).caller = principal;
		return {
			mode: principal.mode,
			modes: [...modes],
			permissions: [...principal.permissions],
			form: principal.formIds?.[0] ?? null,
			forms: principal.formIds && (await forms.namesOf(principal.formIds)),
			keyId: principal.keyId,
			version: VERSION,
			baseUrl: urls.base,
			submitUrl: urls.submit,
			expiresAt: expiresAt.toISOString(),
		};
	}

	return new Elysia({ prefix: '/api/session', detail: { tags: ['Session'], security: [] } })
		.derive(({ set }) => {
			set.headers['cache-control'] = 'no-store';
			return {};
		})
		.post(
			'',
			async ({ request, set }) => {
				const token = await signIn(request);
				set.headers['set-cookie'] = await credential.replace(request, token);
				return view(request, token);
			},
			{
				detail: operation('openSession', 'Sign in', {
					description:
						'Opens a session by an API key, with its permissions while it is valid, by an invitation to use one, by a setup link, or as the member whom a trusted proxy names. The response sets ' +
						'a cookie, which replaces the key. The session ends after 12 hours without use, and after 7 days at the latest. With ' +
						'the cookie, requests that change something need the header `X-Formsrv-CSRF: 1` and a page of this origin. Meant ' +
						'for the dashboard; programs send their key.',
					requestBody: jsonBody(OpenSession, { key: 'sk_live_…' }),
					returns: sessionResponse('Signed in.'),
					errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'],
				}),
			},
		)
		.get('', async ({ request }) => view(request, (await ownSession(request)).token), {
			detail: operation('getSession', 'Read the session', {
				description: 'The session of the cookie of the request.',
				returns: sessionResponse('The session.'),
				errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
			}),
		})
		.get(
			'/ways',
			({ request }): SignInWays => ({
				proxy: personOf(request) || null,
				oidc: hasOidc ? `${urls.base}${OIDC_PATH}` : null,
			}),
			{
				detail: operation('getSignInWays', 'List the ways to sign in', {
					description: 'Those besides keys and links, which always work.',
					returns: jsonResponse('The ways; `null` for one that there is not.', {
						schema: SignInWays,
						example: { proxy: null, oidc: `https://forms.example.com${OIDC_PATH}` },
					}),
				}),
			},
		)
		.patch(
			'',
			async ({ request }) => {
				const { token, session } = await ownSession(request);
				const { mode } = await readJson(request, SwitchMode);
				if (!session.modes.includes(mode)) {
					throw new AppError('FORBIDDEN', `This session is bound to a ${session.principal.mode} key.`);
				}
				await sessions.switchMode(session, mode);
				return view(request, token);
			},
			{
				detail: operation('switchMode', 'Switch between live and test', {
					description: 'Only for a session from a setup link.',
					requestBody: jsonBody(SwitchMode, { mode: 'test' }),
					returns: sessionResponse('The session after the change.'),
					errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'],
				}),
			},
		)
		.delete(
			'',
			async ({ request, set }) => {
				checkOwnPage(request, urls.base);
				const token = cookie.read(request.headers.get('cookie'));
				if (token !== undefined) {
					const session = await sessions.find(token, { isUse: false });
					if (session) requestInfo(request).caller = session.principal;
					await sessions.close(token);
				}
				set.headers['set-cookie'] = cookie.clear();
				return { success: true as const };
			},
			{
				detail: operation('closeSession', 'Sign out', {
					description: 'Ends the session of the cookie. Idempotent.',
					returns: successResponse('Signed out.'),
					errors: ['FORBIDDEN', 'UNAVAILABLE'],
				}),
			},
		);
}

/** For people, who pasted a key or link: the API's sentence about headers would not help them. */
function unknownProof({ details }: AppError): AppError {
	return new AppError(
		'UNAUTHORIZED',
		'This key or link is not known here, or it has expired, been revoked or been used.',
		details,
	);
}
