/** Routes that open, read, switch and close a dashboard session. */

import { Elysia } from 'elysia';
import { VERSION } from '../../../config/version.ts';
import { AppError, invalidField } from '../../../errors.ts';
import type { Forms } from '../../../forms/forms.ts';
import { networkOf } from '../../../http/client-address.ts';
import { readJson } from '../../../http/json-body.ts';
import { jsonBody, jsonResponse, operation } from '../../../http/openapi.ts';
import type { RateLimiter } from '../../../http/rate-limit.ts';
import { requestInfo } from '../../../http/request-info.ts';
import { successResponse } from '../../../http/success.ts';
import type { Keys } from '../../../keys/keys.ts';
import { callerOf, unauthorized } from '../../../keys/permissions.ts';
import type { SessionCookie } from '../cookie.ts';
import type { SessionCredential } from '../credential.ts';
import { checkOwnPage, pageOrigin } from '../page-origin.ts';
import { OpenSession, SessionView, SwitchMode } from '../schema.ts';
import type { Session, Sessions } from '../sessions.ts';

export interface SessionRoutesOptions {
	sessions: Sessions;
	keys: Keys;
	forms: Forms;
	cookie: SessionCookie;
	credential: SessionCredential;
	/** Shared with the API: sign-ins count as requests of the key. */
	api: RateLimiter;
	/** Shared with the API: failed sign-ins count as wrong keys. */
	failures: RateLimiter;
	urls: { base: string; submit: string };
}

/** A key or a token. Small, because clients are unauthenticated here. */
const MAX_PROOF_BYTES = 4 * 1024;

const EXAMPLE = {
	mode: 'live',
	modes: ['live', 'test'],
	permissions: ['admin'],
	form: null,
	forms: null,
	version: VERSION,
	baseUrl: 'https://forms.example.com',
	submitUrl: 'https://f.example.com',
	expiresAt: '2026-01-02T15:04:05.678Z',
};
const sessionResponse = (description: string) => jsonResponse(description, { schema: SessionView, example: EXAMPLE });

export function sessionRoutes(options: SessionRoutesOptions) {
	const { sessions, keys, forms, cookie, credential, api, failures, urls } = options;

	async function ownSession(request: Request): Promise<{ token: string; session: Session }> {
		const found = await credential(request);
		if (!found) throw unauthorized('missing');
		requestInfo(request).caller = found.session.principal;
		api.take(callerOf(found.session.principal));
		return found;
	}

	/** @returns the token of a new session. @throws AppError UNAUTHORIZED, RATE_LIMITED, VALIDATION_ERROR */
	async function open({ key, token }: OpenSession): Promise<string> {
		if ((key === undefined) === (token === undefined)) {
			throw invalidField('key', 'REQUIRED', 'Either key or token is required, and not both.');
		}
		if (token !== undefined) return sessions.openWithLink(token);
		const principal = await keys.authenticate(key);
		api.take(callerOf(principal));
		return sessions.openWithKey(principal);
	}

	async function signIn(request: Request): Promise<string> {
		if (pageOrigin(request.headers, urls.base) === 'foreign') {
			throw new AppError('FORBIDDEN', 'Only the dashboard itself can open a session in a browser.');
		}
		const proof = await readJson(request, OpenSession, { maxBytes: MAX_PROOF_BYTES });
		try {
			return await open(proof);
		} catch (error) {
			if (!(error instanceof AppError && error.code === 'UNAUTHORIZED')) throw error;
			failures.take(networkOf(requestInfo(request).clientAddress));
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
				const former = cookie.read(request.headers.get('cookie'));
				if (former !== undefined) await sessions.close(former);
				set.headers['set-cookie'] = cookie.write(token);
				return view(request, token);
			},
			{
				detail: operation('openSession', 'Sign in', {
					description:
						'Opens a session by an API key, with its permissions while it is valid, by an invitation to use one, or by a set-up link. The response sets ' +
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
					description: 'Only for a session from a set-up link.',
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
