/** Reads query parameters strictly: each at most once, in one format, with errors that name the parameter. */

import { invalidField } from '../errors.ts';
import { DAY_MS } from '../tasks/durations.ts';
import { parseTimestamp, type Timestamp } from '../text/timestamp.ts';

/** Default length of a page. */
export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 100;
/** A space in place of the zone's plus sign: an unescaped plus in a query is decoded to one. */
const SPACE_FOR_PLUS = /(?<=:\S*) (?=\d{2}:\d{2}$)/;
const INTEGER = /^-?[0-9]+$/;

/** The parameters of a request as they were sent, repeated and empty ones included. */
export function queryOf(request: Request): URLSearchParams {
	return new URL(request.url).searchParams;
}

/** The value of a parameter; it must not be repeated or empty. */
export function single(params: URLSearchParams, name: string): string | undefined {
	const values = params.getAll(name);
	if (values.length > 1) throw invalidField(name, 'DUPLICATE_PARAMETER', `${name} must be given only once.`);
	if (values[0] === '') {
		throw invalidField(name, 'EMPTY', `${name} must not be empty: give it a value, or leave it out.`);
	}
	return values[0];
}

/** A decimal integer, clamped to its bounds. */
export function integer(
	params: URLSearchParams,
	name: string,
	{ fallback, min, max }: { fallback: number; min: number; max: number },
): number {
	const text = single(params, name);
	if (text === undefined) return fallback;
	if (!INTEGER.test(text)) {
		throw invalidField(name, 'INVALID_INTEGER', `${name} must be a whole number in decimal digits.`);
	}
	return Math.min(max, Math.max(min, Number(text)));
}

/** The page of a list. */
export function parsePage(params: URLSearchParams): { limit: number; offset: number } {
	return {
		limit: integer(params, 'limit', { fallback: LIMIT_DEFAULT, min: 1, max: LIMIT_MAX }),
		offset: integer(params, 'offset', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
	};
}

/** One of the values; without the parameter, `fallback`. */
export function oneOf<T extends string, Fallback extends T | undefined = undefined>(
	params: URLSearchParams,
	name: string,
	{ values, fallback }: { values: readonly T[]; fallback?: Fallback },
): T | Fallback {
	const text = single(params, name);
	if (text === undefined) return fallback as Fallback;
	const value = values.find((candidate) => candidate === text);
	if (value === undefined) throw invalidField(name, 'INVALID_VALUE', `${name} must be one of: ${values.join(', ')}.`);
	return value;
}

/** `true` or `false`; `undefined` without the parameter. */
export function truth(params: URLSearchParams, name: string): boolean | undefined {
	const text = oneOf(params, name, { values: ['false', 'true'] });
	return text && text === 'true';
}

/** In milliseconds since 1970. */
export interface Times {
	sinceMs?: number;
	untilMs?: number;
}

/** `since` is exclusive, `until` inclusive; a date alone is the start of its day for `since`, the end for `until`. */
export function readTimes({ since, until }: { since?: string; until?: string }): Times {
	return {
		...(since !== undefined && { sinceMs: readTimestamp('since', since).millis }),
		...(until !== undefined && { untilMs: readEnd(until) }),
	};
}

function readEnd(text: string): number {
	const { millis, isDateAlone } = readTimestamp('until', text);
	return millis + (isDateAlone ? DAY_MS - 1 : 0);
}

function readTimestamp(name: string, text: string): Timestamp {
	const timestamp = parseTimestamp(text.replace(SPACE_FOR_PLUS, '+'));
	if (timestamp) return timestamp;
	throw invalidField(name, 'INVALID_DATE', `${name} must be a date such as 2026-01-31 or 2026-01-31T09:30:00Z.`);
}
