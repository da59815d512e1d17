/** Recognises who is signed in by the cookie of a request. */

import { requestInfo } from '../../http/request-info.ts';
import type { SessionCookie } from './cookie.ts';
import { checkOwnPage } from './page-origin.ts';
import type { Session, Sessions } from './sessions.ts';

export type SessionCredential = ReturnType<typeof createSessionCredential>;

/**
 * @returns a function from a request to its session; `undefined` if it has none that is still open. It throws
 * FORBIDDEN for a request that changes something and does not come from the dashboard. Those to `idlePath` are no use.
 */
export function createSessionCredential(
	sessions: Pick<Sessions, 'find'>,
	{ cookie, baseUrl, idlePath }: { cookie: SessionCookie; baseUrl: string; idlePath: string },
) {
	return async (request: Request): Promise<{ token: string; session: Session } | undefined> => {
		// A page that only stays open would keep a session going that nobody uses.
		const isUse = requestInfo(request).path !== idlePath;
		const token = cookie.read(request.headers.get('cookie'));
		const session = token === undefined ? undefined : await sessions.find(token, { isUse });
		if (token === undefined || !session) return undefined;
		checkOwnPage(request, baseUrl);
		return { token, session };
	};
}
