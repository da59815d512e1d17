/** The guard of every management route: recognises the key, counts it against its rate, and checks what it may do. */

import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { networkOf } from '../http/client-address.ts';
import { type RateLimiter, rateHeaders } from '../http/rate-limit.ts';
import { requestInfo } from '../http/request-info.ts';
import type { Keys } from './keys.ts';
import {
	type Access,
	authorize,
	authorizeDisclosure,
	countedAs,
	type Disclosure,
	hasPermission,
	type Principal,
	unauthorized,
} from './permissions.ts';

const BEARER = /^bearer +([^\s,]+)\s*$/i;

/** Another way to show who one is, such as a session cookie; `undefined` if the request shows none. */
export type OtherCredential = (request: Request) => Promise<Principal | undefined>;

export type Auth = ReturnType<typeof createAuth>;

/**
 * Routes of the instance that uses this are refused without a valid key; `access` on a route states what it needs.
 * Both run before any validation, so that strangers learn nothing about what a route takes. `recogniseAgain` is for
 * answers that go on for long: it rejects once the credential is not valid any more. A handler asks `mayLetOut` when it
 * turns out that what it was asked to do lets content out, and `mayRead` before it shows any.
 */
export function createAuth(
	keys: Keys,
	{ api, failures, otherCredential }: { api: RateLimiter; failures: RateLimiter; otherCredential?: OtherCredential },
) {
	async function recognise(request: Request): Promise<Principal> {
		const header = request.headers.get('authorization');
		if (header !== null) return keys.authenticate(BEARER.exec(header)?.[1] ?? '');
		const other = await otherCredential?.(request);
		if (other) return other;
		throw unauthorized(false);
	}

	/** Wrong keys are counted after the look-up, so that those of others at an address never keep a good one out. */
	async function recogniseFirst(request: Request): Promise<Principal> {
		try {
			return await recognise(request);
		} catch (error) {
			const isWrongKey = error instanceof AppError && error.code === 'UNAUTHORIZED';
			if (isWrongKey && request.headers.has('authorization'))
				failures.take(networkOf(requestInfo(request).clientAddress));
			throw error;
		}
	}

	return new Elysia({ name: 'auth' })
		.derive({ as: 'scoped' }, async ({ request, set }) => {
			// What is answered to a key or a session is for nobody else, and for no cache.
			set.headers['cache-control'] = 'no-store';
			const principal = await recogniseFirst(request);
			requestInfo(request).caller = principal;
			const rate = api.take(countedAs(principal));
			if (rate) Object.assign(set.headers, rateHeaders(rate));
			return {
				principal,
				mayRead: hasPermission(principal.permissions, 'read'),
				mayLetOut: (disclosure: Disclosure) => authorizeDisclosure(principal, disclosure),
				recogniseAgain: () => recognise(request),
			};
		})
		.macro({
			access: (access: Access) => ({
				detail: { security: [{ apiKey: [] }] },
				transform: ({ principal, params }: { principal?: Principal; params?: Record<string, string> }) => {
					authorize(principal, access, params);
				},
			}),
		});
}
