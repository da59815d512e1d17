/** Some connections, opened when they are needed: a statement goes to one that is free, or behind others where the fewest are. */

import { isOfSession } from '../failures.ts';
import { DialError } from './dial-error.ts';
import type { Driver, Link } from './link.ts';

const LOOK_EVERY_MS = 10_000;
const IDLE_MS = 60_000;
/** A process of the server gathers things in its memory, which end with its connection. */
const OLD_MS = 2_400_000;
/** After the server would not take one more, those that there are have to do. */
const CONTENT_MS = 1000;

interface Waiting {
	isAlone: boolean;
	resolve(link: Link): void;
	reject(error: unknown): void;
}

interface PoolOptions {
	max: number;
	/** True if connections stay open while unused, as those that hold locks do. */
	isKept: boolean;
	/** @param onOver To be called when nothing can be asked any more. */
	open(onOver: (link: Link) => void): Promise<Link>;
}

export function createPool({ max, isKept, open }: PoolOptions) {
	const links = new Set<Link>();
	const closing = new Set<Promise<void>>();
	let waiting: Waiting[] = [];
	let opening = 0;
	let isContent = false;
	let isEnding = false;
	let onEmpty = () => {};
	let looking: ReturnType<typeof setInterval> | undefined;

	/** @param isAlone Whether nothing else may be in flight there. */
	function find(isAlone: boolean): Link | undefined {
		let best: Link | undefined;
		for (const link of links)
			if (!link.isHeld && !isOld(link) && link.jobs < (best?.jobs ?? Number.POSITIVE_INFINITY)) best = link;
		return best?.jobs === 0 || !(isAlone || mayOpen()) ? best : undefined;
	}

	const isOld = (link: Link) => !isKept && performance.now() - link.openedAt > OLD_MS;
	const mayOpen = () => {
		const count = links.size + opening;
		return count === 0 || (count < max && !isContent);
	};

	function take(isAlone: boolean): Link | Promise<Link> {
		if (isEnding) throw ended();
		const free = waiting.length === 0 ? find(isAlone) : undefined;
		if (free) return begin(free, isAlone);
		return new Promise<Link>((resolve, reject) => {
			waiting.push({ isAlone, resolve, reject });
			next();
		});
	}

	function begin(link: Link, isAlone: boolean): Link {
		link.jobs++;
		link.isHeld = isAlone;
		return link;
	}

	/** In the order in which they came, so that one that wants to be alone has its turn. */
	function next(): void {
		for (let first = waiting[0]; first; first = waiting[0]) {
			const link = find(first.isAlone);
			if (!link) break;
			waiting.shift();
			first.resolve(begin(link, first.isAlone));
		}
		while (opening < waiting.length && mayOpen()) void add();
		if (waiting.length === 0 && links.size === 0) onEmpty();
	}

	async function add(): Promise<void> {
		opening++;
		try {
			links.add(await open(drop));
			if (!isKept) looking ??= setInterval(closeUnused, LOOK_EVERY_MS).unref();
		} catch (error) {
			contentForNow();
			if (links.size === 0 && opening === 1) rejectAll(error);
		}
		opening--;
		next();
		if (isEnding) closeUnused();
	}

	/** Then what still waits has another one opened: those that there are may be in use for long. */
	function contentForNow(): void {
		isContent = true;
		setTimeout(() => {
			isContent = false;
			next();
		}, CONTENT_MS).unref();
	}

	function rejectAll(error: unknown): void {
		const all = waiting;
		waiting = [];
		for (const one of all) one.reject(error);
	}

	function drop(link: Link): void {
		if (links.delete(link)) next();
	}

	function release(link: Link): void {
		link.jobs--;
		link.isHeld = false;
		link.idleSince = performance.now();
		if (links.has(link)) next();
		if (isEnding || isOld(link)) closeUnused();
	}

	function closeUnused(): void {
		const since = performance.now() - IDLE_MS;
		for (const link of [...links])
			if (link.jobs === 0 && (isEnding || isOld(link) || link.idleSince < since)) close(link);
		if (links.size > 0) return;
		clearInterval(looking);
		looking = undefined;
	}

	function close(link: Link): void {
		const closed = link.close().finally(() => closing.delete(closed));
		closing.add(closed);
	}

	async function use<T>(run: (sql: Driver) => PromiseLike<T>, isAlone: boolean): Promise<T> {
		const link = await take(isAlone);
		try {
			return await run(link.sql);
		} catch (error) {
			if (isOfSession(error)) link.openedAt = Number.NEGATIVE_INFINITY;
			throw error;
		} finally {
			release(link);
		}
	}

	return {
		use,
		/** A connection for the caller alone, until the pool ends. */
		hold: async (): Promise<Driver> => (await take(true)).sql,
		/** Takes nothing more, and waits for what is in flight; afterwards that fails, and may take effect nevertheless. */
		async end(withinMs: number): Promise<void> {
			isEnding = true;
			closeUnused();
			if (links.size + waiting.length + opening > 0) {
				const empty = new Promise<void>((resolve) => {
					onEmpty = resolve;
				});
				await Promise.race([empty, Bun.sleep(withinMs)]);
			}
			rejectAll(ended());
			for (const link of [...links]) close(link);
			await Promise.all(closing);
		},
	};
}

const ended = () => new DialError('CONNECT_LEFT', 'The connections to the database were closed.');
