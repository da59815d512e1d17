/** Finds the session of a request by its cookie. */

import { requestInfo } from '../../http/request-info.ts';
import type { SessionCookie } from './cookie.ts';
import { checkOwnPage } from './page-origin.ts';
import type { Session, Sessions } from './sessions.ts';

export type SessionCredential = ReturnType<typeof createSessionCredential>;

/**
 * @returns a function from a request to its open session, if any. It throws FORBIDDEN for a request that changes
 * something and does not come from the dashboard. Requests to `idlePath` do not keep the session alive.
 */
export function createSessionCredential(
	sessions: Pick<Sessions, 'find'>,
	{ cookie, baseUrl, idlePath }: { cookie: SessionCookie; baseUrl: string; idlePath: string },
) {
	return async (request: Request): Promise<{ token: string; session: Session } | undefined> => {
		// The event stream of an open, unused page must not keep the session alive.
		const isUse = requestInfo(request).path !== idlePath;
		const token = cookie.read(request.headers.get('cookie'));
		const session = token === undefined ? undefined : await sessions.find(token, { isUse });
		if (token === undefined || !session) return undefined;
		checkOwnPage(request, baseUrl);
		return { token, session };
	};
}
