/** The headers that every response of a listener has. */

import type { RequestInfo } from './request-info.ts';

/** Those that are the same on all responses. */
export const STANDARD_HEADERS = { 'X-Content-Type-Options': 'nosniff' };

/** Says which request a response is for. */
export function setRequestId(headers: Headers, { id }: RequestInfo): void {
	headers.set('X-Request-Id', id);
}

export function setStandardHeaders(headers: Headers, info: RequestInfo): void {
	setRequestId(headers, info);
	headers.set('X-Content-Type-Options', 'nosniff');
}
