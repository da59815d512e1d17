/** The access line of a request; as JSON it is assembled from cached bytes, because every request pays for it. */

import type { LineBuffer } from './line-buffer.ts';
import { jsonText, printable } from './line-text.ts';

/** One completed request. */
export interface AccessLine {
	/** Letters, digits and hyphens. */
	requestId: string;
	method: string;
	path: string;
	status: number;
	durationMs: number;
	/** The client's address. */
	address: string;
	/** The ids of the key and the session of an authenticated request. */
	caller?: { keyId: string | null; sessionId: string | null };
}

/** Maximum digits of a duration, with room to spare. */
const MAX_DIGITS = 24;
const ZERO = 0x30;
const POINT = 0x2e;
const OPENING = '{"@timestamp":"';
const CLOSING = '"}\n';

/** The maximum size of each cache, which is then cleared. */
const MAX_KEPT = 200;
const MAX_KEPT_BYTES = 500;

/** The part of a line between the time and the duration. */
interface Head {
	method: string;
	status: number;
	bytes: Uint8Array;
}

/** Returns a function that writes the line of a request into the buffer; `time` is ISO 8601. */
export function createAccessWriter(lines: LineBuffer): (line: AccessLine, time: string) => void {
	const { newest } = lines;
	const encoder = new TextEncoder();
	const heads = new Map<string, Head>();
	/** The part between the duration and the id, by address. */
	const tails = new Map<string, Uint8Array>();
	let openingTime = '';
	let opening = new Uint8Array();

	function openingOf(time: string): Uint8Array {
		if (time !== openingTime) {
			openingTime = time;
			opening = encoder.encode(OPENING + time);
		}
		return opening;
	}

	function headOf({ method, path, status }: AccessLine): Uint8Array {
		const known = heads.get(path);
		if (known && known.status === status && known.method === method) return known.bytes;
		const bytes = encoder.encode(
			`","level":"INFO","message":"request","logger":"formsrv","method":${jsonText(method)},"path":${jsonText(path)},"status":${status},"durationMs":`,
		);
		if (heads.size >= MAX_KEPT) heads.clear();
		if (bytes.length <= MAX_KEPT_BYTES) heads.set(path, { method, status, bytes });
		return bytes;
	}

	function tailOf(address: string): Uint8Array {
		const known = tails.get(address);
		if (known) return known;
		const bytes = encoder.encode(`,"address":${jsonText(address)},"requestId":"`);
		if (tails.size >= MAX_KEPT) tails.clear();
		if (bytes.length <= MAX_KEPT_BYTES) tails.set(address, bytes);
		return bytes;
	}

	function put(bytes: Uint8Array): void {
		newest.bytes.set(bytes, newest.length);
		newest.length += bytes.length;
	}

	function putAscii(text: string): void {
		const { bytes, length } = newest;
		for (let i = 0; i < text.length; i++) bytes[length + i] = text.charCodeAt(i);
		newest.length += text.length;
	}

	function putNumber(number: number): void {
		if (number >= 10) putNumber(Math.floor(number / 10));
		newest.bytes[newest.length++] = ZERO + (number % 10);
	}

	/** Writes the result of {@link roundMs} as `JSON.stringify` would. */
	function putDuration(millis: number): void {
		const hundredths = Math.round(millis * 100);
		putNumber(Math.floor(hundredths / 100));
		if (hundredths % 100 === 0) return;
		newest.bytes[newest.length++] = POINT;
		putNumber(Math.floor(hundredths / 10) % 10);
		if (hundredths % 10 !== 0) putNumber(hundredths % 10);
	}

	return (line, time) => {
		const { requestId, durationMs, address } = line;
		const start = openingOf(time);
		const head = headOf(line);
		const tail = tailOf(address);
		const end = line.caller ? callerJson(line.caller) : CLOSING;
		lines.reserve(start.length + head.length + MAX_DIGITS + tail.length + requestId.length + end.length);
		put(start);
		put(head);
		putDuration(durationMs);
		put(tail);
		putAscii(requestId);
		putAscii(end);
		lines.added();
	};
}

/** The end of the line of an authenticated request. */
function callerJson({ keyId, sessionId }: NonNullable<AccessLine['caller']>): string {
	return `"${keyId === null ? '' : `,"key":"${keyId}"`}${sessionId === null ? '' : `,"session":"${sessionId}"`}${CLOSING.slice(1)}`;
}

function callerText({ caller }: AccessLine): string {
	if (!caller) return '';
	const { keyId, sessionId } = caller;
	return `${keyId === null ? '' : ` key=${keyId}`}${sessionId === null ? '' : ` session=${sessionId}`}`;
}

/** The access line as text. */
export function accessText(line: AccessLine, time: string): string {
	const { method, path, status, durationMs, address, requestId } = line;
	return `${printable(`${time} info  ${method} ${path} ${status} ${roundMs(durationMs)}ms ${address} ${requestId}${callerText(line)}`)}\n`;
}

function roundMs(millis: number): number {
	return Math.round(millis * 100) / 100;
}
