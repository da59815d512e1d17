/** Limits requests per minute and caller, in bounded memory. */

import { type AppError, spokenError } from '../errors.ts';
import { MINUTE_MS } from '../tasks/durations.ts';
import { createRateWindows, type RateWindows } from './rate-windows.ts';

const WINDOW_MS = MINUTE_MS;

export interface RateState {
	limit: number;
	remaining: number;
	/** Seconds until the window ends. */
	resetSeconds: number;
}

export interface RateLimiterOptions {
	/** Those of all limiters of a server, which together have one bound. */
	windows?: RateWindows;
	/** The wider callers that stand for one when there is no room for more, such as the networks of an address. */
	widen?: (caller: string) => readonly [string, string];
	now?: () => number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const ANYTHING = 0;
/** In place of a place in the table: the window of all for whom there is no room. */
const REST = -1;

/** The windows of all limiters of a server. */
export const createServerWindows = () => createRateWindows(WINDOW_MS);

let limiters = 0;

/** @param limit Requests per minute and caller, for each target; 0 = off. */
export function createRateLimiter(
	limit: number,
	{ windows = createServerWindows(), widen, now = Date.now }: RateLimiterOptions = {},
) {
	const limiter = ++limiters;
	const rest = { count: 0, endsAt: 0 };
	/** Until then there may be windows of networks. */
	let widenedUntil = 0;

	/** The place of a caller's window. Who has one keeps it, however many others there are. */
	function placeOf(caller: string, target: number, at: number): number {
		const found = windows.find(windows.nameOf(caller, limiter, target), at);
		if (found >= 0) return found;
		if (!widen) return openOrRest(windows.open(windows.nameOf(caller, limiter, target), at, 2), at);
		// A caller that was counted in a network stays there until its window ends: else a new window would be a second count.
		const isWidened = at < widenedUntil && widenedUntil - at <= WINDOW_MS;
		const wider = isWidened ? findWider(caller, target, at) : -1;
		if (wider >= 0) return wider;
		const opened = windows.open(windows.nameOf(caller, limiter, target), at, 0);
		return opened >= 0 ? opened : openWider(caller, target, at);
	}

	function findWider(caller: string, target: number, at: number): number {
		const [network, larger] = widen?.(caller) ?? [caller, caller];
		const found = windows.find(windows.nameOf(network, limiter, target), at);
		return found >= 0 ? found : windows.find(windows.nameOf(larger, limiter, ANYTHING), at);
	}

	function openWider(caller: string, target: number, at: number): number {
		const wider = findWider(caller, target, at);
		if (wider >= 0) return wider;
		const [network, larger] = widen?.(caller) ?? [caller, caller];
		widenedUntil = at + WINDOW_MS;
		const opened = windows.open(windows.nameOf(network, limiter, target), at, 1);
		return opened >= 0 ? opened : openOrRest(windows.open(windows.nameOf(larger, limiter, ANYTHING), at, 2), at);
	}

	function openOrRest(opened: number, at: number): number {
		if (opened >= 0) return opened;
		if (at >= rest.endsAt || rest.endsAt - at > WINDOW_MS) Object.assign(rest, { count: 0, endsAt: at + WINDOW_MS });
		return REST;
	}

	const countAt = (place: number) => (place === REST ? rest.count : windows.countAt(place));

	function stateAt(place: number, at: number): RateState {
		const leftMs = place === REST ? rest.endsAt - at : windows.leftAt(place, at);
		return {
			limit,
			remaining: Math.max(0, limit - countAt(place)),
			resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
		};
	}

	/** Consumes one, and returns whether there was one left. */
	function addAt(place: number): boolean {
		if (countAt(place) >= limit) return false;
		if (place === REST) rest.count++;
		else windows.addAt(place);
		return true;
	}

	return {
		/**
		 * Counts one request. `undefined` if the limit is off.
		 * @param target The id of what the requests are for.
		 * @throws AppError RATE_LIMITED if the caller is over it.
		 */
		take(caller: string, target = ANYTHING, at = now()): RateState | undefined {
			if (limit === 0) return undefined;
			const place = placeOf(caller, target, at);
			if (!addAt(place)) throw tooMany(stateAt(place, at));
			return stateAt(place, at);
		},
		/** Counts one request that is not rejected; `true` if the caller is over the limit. */
		isOver: (caller: string, at = now()): boolean => limit > 0 && !addAt(placeOf(caller, ANYTHING, at)),
	};
}

/** The headers of the IETF draft "RateLimit header fields for HTTP" (before 07). */
export function rateHeaders({ limit, remaining, resetSeconds }: RateState): Record<string, string> {
	return {
		'RateLimit-Limit': String(limit),
		'RateLimit-Remaining': String(remaining),
		'RateLimit-Reset': String(resetSeconds),
	};
}

function tooMany(state: RateState): AppError {
	return spokenError('RATE_LIMITED', ['wait', { count: state.resetSeconds }], {
		retryAfterSeconds: state.resetSeconds,
		headers: rateHeaders(state),
	});
}
