/** Moments as an input of type `datetime-local` holds them: in the reader's zone, and without it. */

import { MINUTE_MS } from '../../tasks/durations.ts';

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
