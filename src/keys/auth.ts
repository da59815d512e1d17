/** The guard of every management route: authenticates the request, applies its rate limit, and authorizes it. */

import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { errorResponses, forbiddenResponse } from '../http/openapi.ts';
import { type RateLimiter, rateHeaders } from '../http/rate-limit.ts';
import { requestInfo } from '../http/request-info.ts';
import type { Keys } from './keys.ts';
import {
	type Access,
	authorize,
	callerOf,
	checkDisclosure,
	type Disclosure,
	hasPermission,
	modeOf,
	neededFor,
	type Principal,
	unauthorized,
} from './permissions.ts';
import { bearerToken } from './token.ts';

/** Authenticates by another credential, such as a session cookie; `undefined` if the request has none. */
type OtherCredential = (request: Request) => Promise<Principal | undefined>;

/**
 * Counts a failed attempt to authenticate, in the audit log with these circumstances.
 * @throws AppError RATE_LIMITED for a network with too many
 */
export type CountFailure = (request: Request, facts?: Record<string, string>) => void;

interface Guarded {
	principal?: Principal;
	params?: Record<string, string>;
	request: Request;
}

export type Auth = ReturnType<typeof createAuth>;

/**
 * Routes of an instance that uses this need a valid credential; `access` on a route states the permission it needs.
 * Both checks run before any validation, so that untrusted clients learn nothing about a route's input. A handler checks
 * `mayRead` before it shows content, and calls `checkDisclosure`, which throws, before it discloses or diverts content.
 * Responses that take long call `reauthorize` of the request's info now and then.
 */
export function createAuth(
	keys: Keys,
	{
		api,
		countFailure,
		otherCredential,
	}: { api: RateLimiter; countFailure: CountFailure; otherCredential?: OtherCredential },
) {
	async function authenticate(request: Request): Promise<Principal> {
		const { operator } = requestInfo(request);
		if (operator) return operator;
		const header = request.headers.get('authorization');
		if (header !== null) return keys.authenticate(bearerToken(header) ?? '');
		const other = await otherCredential?.(request);
		if (other) return other;
		throw unauthorized('missing');
	}

	/** Counts failures, and only after the look-up, so that they never block a valid key from the same address. */
	async function authenticateCounted(request: Request): Promise<Principal> {
		try {
			return await authenticate(request);
		} catch (error) {
			const isWrongKey = error instanceof AppError && error.code === 'UNAUTHORIZED';
			if (isWrongKey && request.headers.has('authorization')) countFailure(request);
			throw error;
		}
	}

	return new Elysia({ name: 'auth' })
		.derive({ as: 'scoped' }, async ({ request, set }) => {
			// Responses are private to the caller: no cache may store them.
			set.headers['cache-control'] = 'no-store';
			const principal = await authenticateCounted(request);
			requestInfo(request).caller = principal;
			const rate = principal.operator === undefined ? api.take(callerOf(principal)) : undefined;
			if (rate) Object.assign(set.headers, rateHeaders(rate));
			return {
				principal,
				/** The mode of what cannot be in both. */
				ownMode: modeOf(principal),
				mayRead: hasPermission(principal.permissions, 'read'),
				checkDisclosure: (disclosure: Disclosure) => checkDisclosure(principal, disclosure),
			};
		})
		.macro({
			access: (access: Access) => ({
				detail: {
					security: [{ apiKey: neededFor(access) }],
					responses: {
						...errorResponses('UNAUTHORIZED', 'RATE_LIMITED', 'UNAVAILABLE'),
						403: forbiddenResponse(neededFor(access), {
							isForForms: access.form !== undefined || access.isConfined,
							isLiveOnly: access.isLiveOnly !== undefined,
						}),
					},
				},
				transform: ({ principal, params, request }: Guarded) => {
					authorize(principal, access, params);
					requestInfo(request).reauthorize = async () => authorize(await authenticate(request), access, params);
				},
			}),
		});
}
