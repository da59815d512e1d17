/** The headers that every response of a listener has. */

import type { RequestInfo } from './request-info.ts';

/** The headers that are equal on all responses. */
export const STANDARD_HEADERS = { 'X-Content-Type-Options': 'nosniff' };

export function setRequestId(headers: Headers, { id }: Pick<RequestInfo, 'id'>): void {
	headers.set('X-Request-Id', id);
}

export function setStandardHeaders(headers: Headers, info: RequestInfo): void {
	setRequestId(headers, info);
	headers.set('X-Content-Type-Options', 'nosniff');
}
