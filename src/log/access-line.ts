/** The access line of a request. */

import { printable, printableJson } from './line-text.ts';

/** One completed request. */
export interface AccessLine {
	/** Letters, digits and hyphens. */
	requestId: string;
	method: string;
	path: string;
	status: number;
	durationMs: number;
	/** The client's address, or its network; empty: not logged. */
	address: string;
	/** The ids of the key and the session of an authenticated request. */
	caller?: { keyId: string | null; sessionId: string | null } | undefined;
}

/** The line as JSON; `time` is ISO 8601. */
export function accessJson({ method, path, status, durationMs, address, requestId, caller }: AccessLine, time: string) {
	const line = {
		'@timestamp': time,
		level: 'INFO',
		message: 'request',
		logger: 'formsrv',
		method,
		path,
		status,
		durationMs: roundMs(durationMs),
		address: address || undefined,
		requestId,
		key: caller?.keyId ?? undefined,
		session: caller?.sessionId ?? undefined,
	};
	return `${printableJson(JSON.stringify(line))}\n`;
}

export function accessText({ method, path, status, durationMs, address, requestId, caller }: AccessLine, time: string) {
	const key = caller?.keyId ? ` key=${caller.keyId}` : '';
	const session = caller?.sessionId ? ` session=${caller.sessionId}` : '';
	const line = `${time} info  ${method} ${path} ${status} ${roundMs(durationMs)}ms ${address || '-'} ${requestId}`;
	return `${printable(line + key + session)}\n`;
}

function roundMs(millis: number): number {
	return Math.round(millis * 100) / 100;
}
