/** Limits requests per minute and caller, in bounded memory. */

import { MINUTE_MS } from '../durations.ts';
import { AppError } from '../errors.ts';

const WINDOW_MS = MINUTE_MS;
const LIMIT = 'RateLimit-Limit';
const REMAINING = 'RateLimit-Remaining';
const RESET = 'RateLimit-Reset';
/** Beyond this many callers the oldest counts are dropped. */
const MAX_CALLERS = 100_000;

export interface RateState {
	limit: number;
	remaining: number;
	/** Seconds until the window ends. */
	resetSeconds: number;
}

interface Window {
	caller: Caller;
	target: Target;
	endsAt: number;
	used: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** A name, or an id. */
type Caller = string | number;
/** What the requests are for. */
type Target = string | number;

const ANYTHING = 0;

/** @param limit Requests per minute and caller, for each target; 0 = off. */
export function createRateLimiter(limit: number, now: () => number = Date.now) {
	/** Not by a text of both, which takes longer to make than all the rest. */
	const windows = new Map<Target, Map<Caller, Window>>();
	/** The same, oldest first. */
	const opened = new Set<Window>();

	function windowOf(caller: Caller, target: Target, at: number): Window {
		const known = windows.get(target)?.get(caller);
		if (known && isCurrent(known, at)) return known;
		if (known) drop(known);
		if (opened.size >= MAX_CALLERS) drop(opened.values().next().value as Window);
		const window = { caller, target, endsAt: at + WINDOW_MS, used: 0 };
		opened.add(window);
		const callers = windows.get(target);
		if (callers) callers.set(caller, window);
		else windows.set(target, new Map([[caller, window]]));
		return window;
	}

	function drop(window: Window): void {
		const callers = windows.get(window.target);
		callers?.delete(window.caller);
		if (callers?.size === 0) windows.delete(window.target);
		opened.delete(window);
	}

	function stateOf(window: Window, at: number): RateState {
		return {
			limit,
			remaining: Math.max(0, limit - window.used),
			resetSeconds: Math.max(1, Math.ceil((window.endsAt - at) / 1000)),
		};
	}

	function count(caller: Caller, target: Target, at: number): Window {
		const window = windowOf(caller, target, at);
		if (window.used >= limit) throw tooMany(stateOf(window, at));
		window.used++;
		return window;
	}

	return {
		/**
		 * Counts one request. `undefined` if the limit is off.
		 * @throws AppError RATE_LIMITED if the caller is over it.
		 */
		take(caller: Caller, target: Target = ANYTHING, at = now()): RateState | undefined {
			return limit === 0 ? undefined : stateOf(count(caller, target, at), at);
		},
		/** The same, without its state. @throws AppError RATE_LIMITED */
		check(caller: Caller, at = now()): void {
			if (limit > 0) count(caller, ANYTHING, at);
		},
		/** Counts one request that is not rejected; `true` if the caller is over the limit. */
		isOver(caller: Caller, at = now()): boolean {
			if (limit === 0) return false;
			const window = windowOf(caller, ANYTHING, at);
			if (window.used >= limit) return true;
			window.used++;
			return false;
		},
	};
}

/** A window that ends later than a new one would was opened before the clock was set back. */
function isCurrent({ endsAt }: Window, at: number): boolean {
	return at < endsAt && endsAt - at <= WINDOW_MS;
}

/** The headers of the IETF draft "RateLimit header fields for HTTP" (before 07). */
export function rateHeaders({ limit, remaining, resetSeconds }: RateState): Record<string, string> {
	return { [LIMIT]: String(limit), [REMAINING]: String(remaining), [RESET]: String(resetSeconds) };
}

/** Sets the same headers, except for those that are as in `before`. */
export function setRateHeaders(headers: Headers, state: RateState, before: RateState | undefined): void {
	if (state.limit !== before?.limit) headers.set(LIMIT, String(state.limit));
	if (state.remaining !== before?.remaining) headers.set(REMAINING, String(state.remaining));
	if (state.resetSeconds !== before?.resetSeconds) headers.set(RESET, String(state.resetSeconds));
}

function tooMany(state: RateState): AppError {
	return new AppError('RATE_LIMITED', `Too many requests. Please try again in ${state.resetSeconds} seconds.`, {
		retryAfterSeconds: state.resetSeconds,
		headers: rateHeaders(state),
	});
}
