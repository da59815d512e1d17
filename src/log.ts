/** The log: one line per event on stderr, as JSON or as text, into which nobody outside can smuggle lines or escapes. */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What an event is about. Never a key, an Authorization header, a body or a submitted value. */
export type LogFields = Record<string, unknown>;

interface Event {
	level: LogLevel;
	message: string;
	fields: LogFields;
}

/** One answered request. */
export interface AccessLine {
	requestId: string;
	method: string;
	path: string;
	status: number;
	durationMs: number;
	/** The client's address. */
	address: string;
	/** The ids of the key and of the session by which it was asked, where one was needed. */
	caller?: { keyId: string | null; sessionId: string | null };
}

export interface LogOptions {
	level: LogLevel;
	format: 'json' | 'text';
	/** Takes one or more whole lines. */
	write(lines: string): void;
	now?: () => number;
}

export type Log = ReturnType<typeof createLog>;

const FLUSH_AFTER_MS = 100;
const FLUSH_AT_CHARACTERS = 65_536;

/** DEL, C1 controls, line and paragraph separators, and what changes the direction of text or is invisible. */
const HIDDEN = '\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';
const HIDDEN_CHARACTERS = new RegExp(`[${HIDDEN}]`, 'g');
/** ASCII without controls, quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;
const UNPRINTABLE = new RegExp(`[\\u0000-\\u001f${HIDDEN}]`, 'g');

/** Text of unknown origin as it may appear on a terminal: what would act on the terminal is spelled out. */
export function printable(text: string): string {
	return text.replace(UNPRINTABLE, (character) =>
		character < ' ' ? JSON.stringify(character).slice(1, -1) : escapeCharacter(character),
	);
}

/** JSON text as it may appear on a terminal; it means the same. */
export function printableJson(json: string): string {
	return json.replace(HIDDEN_CHARACTERS, escapeCharacter);
}

/**
 * Opens a log. Lines below `level` are dropped. Lines are collected and written together about every 100 ms
 * or 64 KiB; an error is written at once, with everything before it.
 */
export function createLog({ level, format, write, now = Date.now }: LogOptions) {
	const lines = createLineBuffer(write);
	const [formatEvent, formatAccess] = format === 'json' ? [eventJson, accessJson] : [eventText, accessText];
	const timestamp = createTimestamps(now);
	const isOn = (candidate: LogLevel) => LOG_LEVELS.indexOf(candidate) >= LOG_LEVELS.indexOf(level);
	const hasAccess = isOn('info');

	const logAt =
		(at: LogLevel) =>
		(message: string, fields: LogFields = {}) => {
			if (!isOn(at)) return;
			lines.add(formatEvent({ level: at, message, fields }, timestamp()));
			if (at === 'error') lines.flush();
		};

	return {
		debug: logAt('debug'),
		info: logAt('info'),
		warn: logAt('warn'),
		error: logAt('error'),
		/** Logs an answered request. It costs a part of every request, therefore it is formatted by hand. */
		access(line: AccessLine): void {
			if (hasAccess) lines.add(formatAccess(line, timestamp()));
		},
		/** Writes what is waiting. To be called before the process ends: what waits does not keep it alive. */
		flush: lines.flush,
	};
}

function createLineBuffer(write: (lines: string) => void) {
	let pending = '';
	let timer: ReturnType<typeof setTimeout> | undefined;

	const flush = () => {
		clearTimeout(timer);
		timer = undefined;
		const lines = pending;
		pending = '';
		if (lines !== '') write(lines);
	};

	return {
		flush,
		add(line: string) {
			pending += line;
			if (pending.length >= FLUSH_AT_CHARACTERS) flush();
			else if (timer === undefined) timer = setTimeout(flush, FLUSH_AFTER_MS).unref();
		},
	};
}

/** Spells the present moment; the text is made once per millisecond. */
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

/** For one `JSON.stringify`: errors with what they hide from it, and in place of what JSON cannot hold a text. */
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

/** `time level message key=value`, then the stack of an error, indented: it cannot pass for a line of its own. */
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

function accessJson(line: AccessLine, time: string): string {
	return `{"@timestamp":"${time}","level":"INFO","message":"request","logger":"formsrv","method":${jsonText(line.method)},"path":${jsonText(line.path)},"status":${line.status},"durationMs":${roundMs(line.durationMs)},"address":${jsonText(line.address)},"requestId":${jsonText(line.requestId)}${callerJson(line)}}\n`;
}

function callerJson({ caller }: AccessLine): string {
	if (!caller) return '';
	const { keyId, sessionId } = caller;
	return `${keyId === null ? '' : `,"key":"${keyId}"`}${sessionId === null ? '' : `,"session":"${sessionId}"`}`;
}

function callerText({ caller }: AccessLine): string {
	if (!caller) return '';
	const { keyId, sessionId } = caller;
	return `${keyId === null ? '' : ` key=${keyId}`}${sessionId === null ? '' : ` session=${sessionId}`}`;
}

function accessText(line: AccessLine, time: string): string {
	const { method, path, status, durationMs, address, requestId } = line;
	return `${printable(`${time} info  ${method} ${path} ${status} ${roundMs(durationMs)}ms ${address} ${requestId}${callerText(line)}`)}\n`;
}

function roundMs(millis: number): number {
	return Math.round(millis * 100) / 100;
}

/** A text as JSON. Most are plain, and then quotes around them are enough. */
function jsonText(text: string): string {
	if (PLAIN.test(text)) return `"${text}"`;
	return printableJson(JSON.stringify(text));
}

function escapeCharacter(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
