/** Formats values, times and numbers for display. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../tasks/durations.ts';
import { lazy } from '../../tasks/lazy.ts';
import { numeralText } from './exact-json.ts';
import * as words from './sentences/words.ts';

const WEEK_MS = 7 * DAY_MS;

// Created lazily: a browser takes 10 ms for its first formatter.
const exact = lazy(() => new Intl.DateTimeFormat(words.times.locale, { dateStyle: 'full', timeStyle: 'long' }));

/** Largest first. */
const UNITS = [
	['d', DAY_MS],
	['h', HOUR_MS],
	['m', MINUTE_MS],
] as const;

/** "now", "5m ago", "in 3h", "yesterday"; from a week on the date. */
export function relativeTime(iso: string, now: number): string {
	const difference = new Date(iso).getTime() - now;
	const distance = Math.abs(difference);
	if (distance >= WEEK_MS) return shortDate(iso, now);
	const found = UNITS.find(([, size]) => distance >= size);
	if (!found) return words.times.now;
	const [unit, size] = found;
	const count = Math.floor(distance / size);
	if (unit === 'd' && count === 1 && isNextDay(difference, now))
		return difference < 0 ? words.times.yesterday : words.times.tomorrow;
	return difference < 0 ? words.times.ago(count, unit) : words.times.ahead(count, unit);
}

/** Returns whether it is the day before or after by the calendar: up to two days are between it and now. */
function isNextDay(difference: number, now: number): boolean {
	const day = new Date(now);
	day.setDate(day.getDate() + Math.sign(difference));
	return day.toDateString() === new Date(now + difference).toDateString();
}

/** "3 Mar", and with the year when it is not this one. */
export function shortDate(iso: string, now = Date.now()): string {
	const date = new Date(iso);
	return words.times.day(date, date.getFullYear() !== new Date(now).getFullYear());
}

/** Date and time in full, in the reader's zone. */
export function absoluteTime(iso: string): string {
	return exact().format(new Date(iso));
}

/** "3 d 4 h", "5 min". */
export function formatDuration(seconds: number): string {
	const days = Math.floor(seconds / 86_400);
	const hours = Math.floor((seconds % 86_400) / 3600);
	const minutes = Math.floor((seconds % 3600) / 60);
	if (days > 0) return words.times.daysAndHours(days, hours);
	if (hours > 0) return words.times.hoursAndMinutes(hours, minutes);
	return minutes > 0 ? words.times.minutes(minutes) : words.times.seconds(Math.floor(seconds));
}

/** A value as plain text with all its digits; objects as JSON. */
export function valueText(value: unknown): string {
	if (value === null || value === undefined) return '';
	if (typeof value === 'string') return value;
	const digits = numeralText(value);
	if (digits !== undefined) return digits;
	if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
		return value.map(valueText).join(', ');
	}
	return typeof value === 'object' ? jsonText(value) : String(value);
}

/** Indented JSON that keeps the digits of every number. */
export function jsonText(value: unknown, indent = ''): string {
	const digits = numeralText(value);
	if (digits !== undefined) return digits;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
	const inner = `${indent}  `;
	const [open, close] = Array.isArray(value) ? '[]' : '{}';
	const lines = Array.isArray(value)
		? value.map((item) => inner + jsonText(item, inner))
		: Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${jsonText(item, inner)}`);
	return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** One line of at most `length` characters for a list. */
export function previewText(value: unknown, length = 160): string {
	const line = valueText(value)
		.slice(0, length * 2)
		.replace(/\s+/g, ' ')
		.trim();
	return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** A moment as an input of type `datetime-local` holds it: in the reader's zone, and without it. */
export function localMoment(iso: string): string {
	const date = new Date(iso);
	const local = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, -1);
	return local.replace(/(?::00)?\.000$/, '');
}

/** Converts a local time into the API's format; an invalid one is left to the API to reject. */
export function momentOf(local: string): string {
	const date = new Date(local);
	return Number.isNaN(date.getTime()) ? local : date.toISOString();
}
