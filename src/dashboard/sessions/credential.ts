/** Finds the session of a request by its cookie, and gives a browser a new one. */

import { requestInfo } from '../../http/request-info.ts';
import type { SessionCookie } from './cookie.ts';
import { checkOwnPage } from './page-origin.ts';
import type { PersonOf } from './person.ts';
import type { Session, Sessions } from './sessions.ts';

export type SessionCredential = ReturnType<typeof createSessionCredential>;

interface Options {
	cookie: SessionCookie;
	personOf: PersonOf;
	baseUrl: string;
	/** Requests to it do not keep the session alive. */
	idlePath: string;
}

export function createSessionCredential(
	sessions: Pick<Sessions, 'find' | 'close'>,
	{ cookie, personOf, baseUrl, idlePath }: Options,
) {
	return {
		/**
		 * The open session of a request, if any. That of a member ends when a trusted proxy says that the request is from another person.
		 * @throws AppError FORBIDDEN for a request that changes something and does not come from the dashboard
		 */
		async find(request: Request): Promise<{ token: string; session: Session } | undefined> {
			// The event stream of an open, unused page must not keep the session alive.
			const isUse = requestInfo(request).path !== idlePath;
			const token = cookie.read(request.headers.get('cookie'));
			const session = token === undefined ? undefined : await sessions.find(token, { isUse });
			if (token === undefined || !session) return undefined;
			const person = personOf(request);
			if (session.email !== null && person !== undefined && person !== session.email) {
				await sessions.close(token);
				return undefined;
			}
			checkOwnPage(request, baseUrl);
			return { token, session };
		},
		/** Ends the session that the browser had. @returns the value of the `Set-Cookie` header that brings it the new one */
		async replace(request: Request, token: string): Promise<string> {
			const former = cookie.read(request.headers.get('cookie'));
			if (former !== undefined) await sessions.close(former);
			return cookie.write(token);
		},
	};
}
