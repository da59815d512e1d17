/** The log: one line per event on stderr, as JSON or text; untrusted values cannot inject lines or escape sequences. */

import { createLineBuffer } from './line-buffer.ts';
import { printable, printableJson } from './line-text.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** The details of an event. Never a key, an Authorization header, a body or a submitted value. */
type LogFields = Record<string, unknown>;

/** One completed request. */
interface AccessLine {
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

interface Event {
	level: LogLevel;
	message: string;
	fields: LogFields;
}

export interface LogOptions {
	level: LogLevel;
	format: 'json' | 'text';
	/** Writes one or more whole lines; may return a promise that resolves when they are written. */
	write(lines: Uint8Array): unknown;
	now?: () => number;
}

export type Log = ReturnType<typeof createLog>;

/** Maximum bytes waiting to be written: without a reader, further lines are dropped, lines of requests first. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_WAITING_FOR_REQUESTS = MAX_WAITING_BYTES - 256 * 1024;

/**
 * Opens a log. Lines below `level` are dropped. Lines are collected and written together about every 100 ms
 * or 64 KiB; an error is written at once, with everything before it.
 */
export function createLog({ level: atStart, format, write, now = Date.now }: LogOptions) {
	let level = atStart;
	const lines = createLineBuffer({ write, onWritten: reportDropped });
	const formatEvent = format === 'json' ? eventJson : eventText;
	const formatRequest = format === 'json' ? accessJson : accessText;
	const timestamp = createTimestamps(now);
	const isOn = (candidate: LogLevel) => LOG_LEVELS.indexOf(candidate) >= LOG_LEVELS.indexOf(level);
	let dropped = { requests: 0, others: 0 };

	function addEvent(event: Event): void {
		lines.add(formatEvent(event, timestamp()));
	}

	function reportDropped(): void {
		const fields = dropped;
		if (fields.requests + fields.others === 0) return;
		dropped = { requests: 0, others: 0 };
		addEvent({ level: 'warn', message: 'Lines of the log were dropped, because it was not read fast enough.', fields });
	}

	const logAt =
		(at: LogLevel) =>
		(message: string, fields: LogFields = {}) => {
			if (!isOn(at)) return;
			if (lines.waiting() < MAX_WAITING_BYTES) addEvent({ level: at, message, fields });
			else dropped.others++;
			if (at === 'error') lines.writeOut();
		};

	return {
		debug: logAt('debug'),
		info: logAt('info'),
		warn: logAt('warn'),
		error: logAt('error'),
		setLevel(lowest: LogLevel): void {
			level = lowest;
		},
		/** Logs a completed request. */
		access(line: AccessLine): void {
			if (!isOn('info')) return;
			if (lines.waiting() < MAX_WAITING_FOR_REQUESTS) lines.add(formatRequest(line, timestamp()));
			else dropped.requests++;
		},
		/** Writes all waiting lines. Call it before the process ends, which waiting lines do not keep alive. */
		flush(): void {
			reportDropped();
			lines.flush();
		},
	};
}

/** Returns the current time as text, formatted once per millisecond. */
function createTimestamps(now: () => number): () => string {
	let millis = Number.NaN;
	let text = '';
	return () => {
		const current = now();
		if (current !== millis) {
			millis = current;
			text = new Date(current).toISOString();
		}
		return text;
	};
}

function eventJson({ level, message, fields }: Event, time: string): string {
	const event = { '@timestamp': time, level: level.toUpperCase(), message, logger: 'formsrv', ...fields };
	return `${printableJson(JSON.stringify(event, jsonReplacer()))}\n`;
}

/** For one `JSON.stringify`: adds the hidden members of errors, and replaces values that JSON cannot represent. */
function jsonReplacer(): (name: string, value: unknown) => unknown {
	const seen = new WeakSet();
	return (_name, value) => {
		if (typeof value === 'bigint') return String(value);
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return '(as above)';
		seen.add(value);
		if (!(value instanceof Error)) return value;
		const { name, message, stack, cause } = value;
		return { ...value, name, message, stack, cause };
	};
}

/** `time level message key=value`, then the stack of an error, indented so that it cannot pass for a line of its own. */
function eventText({ level, message, fields }: Event, time: string): string {
	const members = Object.entries(fields).map(([name, value]) => ` ${name}=${fieldText(value)}`);
	const stacks = Object.values(fields).map(stackText);
	return `${printable(`${time} ${level.padEnd(5)} ${message}${members.join('')}`)}\n${stacks.join('')}`;
}

function fieldText(value: unknown): string {
	if (value instanceof Error) return JSON.stringify(value.message);
	if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
	return typeof value === 'object' ? Bun.inspect(value) : String(value);
}

function stackText(value: unknown): string {
	if (!(value instanceof Error) || !value.stack) return '';
	return value.stack
		.split('\n')
		.map((line) => `    ${printable(line.trim())}\n`)
		.join('');
}

/** The access line as JSON; `time` is ISO 8601. */
function accessJson({ method, path, status, durationMs, address, requestId, caller }: AccessLine, time: string) {
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

function accessText({ method, path, status, durationMs, address, requestId, caller }: AccessLine, time: string) {
	const key = caller?.keyId ? ` key=${caller.keyId}` : '';
	const session = caller?.sessionId ? ` session=${caller.sessionId}` : '';
	const line = `${time} info  ${method} ${path} ${status} ${roundMs(durationMs)}ms ${address || '-'} ${requestId}`;
	return `${printable(line + key + session)}\n`;
}

function roundMs(millis: number): number {
	return Math.round(millis * 100) / 100;
}
