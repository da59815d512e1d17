/** How values, times and numbers are written for a person. */

import { lazy } from '../../lazy.ts';
import { numeralText } from './exact-json.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// Held, because a browser takes a millisecond to make one, and a list shows a hundred times.
const relative = lazy(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' }));
const dayAndMonth = lazy(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }));
const day = lazy(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }));
const exact = lazy(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' }));
const counts = lazy(() => new Intl.NumberFormat('en'));

/** "now", "5m ago", "yesterday"; after a week the date. */
export function relativeTime(iso: string, now: number): string {
	const difference = new Date(iso).getTime() - now;
	const distance = Math.abs(difference);
	if (distance < MINUTE) return 'now';
	if (distance < HOUR) return relative().format(Math.trunc(difference / MINUTE), 'minute');
	if (distance < DAY) return relative().format(Math.trunc(difference / HOUR), 'hour');
	if (distance < 7 * DAY) return relative().format(Math.trunc(difference / DAY), 'day');
	return shortDate(iso, now);
}

/** "3 Mar", and with the year when it is not this one. */
export function shortDate(iso: string, now = Date.now()): string {
	const date = new Date(iso);
	const sameYear = date.getFullYear() === new Date(now).getFullYear();
	return (sameYear ? dayAndMonth() : day()).format(date);
}

/** Date and time in full, in the reader's zone. */
export function absoluteTime(iso: string): string {
	return exact().format(new Date(iso));
}

export function formatCount(count: number): string {
	return counts().format(count);
}

/** "1 submission", "1,234 submissions". */
export function plural(count: number, noun: string): string {
	return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** "12.4 MB", in powers of 1000 as disks are sold. */
export function formatBytes(bytes: number): string {
	const units = ['B', 'kB', 'MB', 'GB', 'TB'];
	let value = bytes;
	let unit = 0;
	while (value >= 1000 && unit < units.length - 1) {
		value /= 1000;
		unit += 1;
	}
	return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** "3 d 4 h", "5 min". */
export function formatDuration(seconds: number): string {
	const days = Math.floor(seconds / 86_400);
	const hours = Math.floor((seconds % 86_400) / 3600);
	const minutes = Math.floor((seconds % 3600) / 60);
	if (days > 0) return `${days} d ${hours} h`;
	if (hours > 0) return `${hours} h ${minutes} min`;
	return minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`;
}

/** A value as text without markup, digits untouched; objects as JSON. */
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
