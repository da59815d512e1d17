/**
 * Watches whether the database can be asked: while it cannot, everything is rejected at once. Of several servers it finds the
 * primary, by asking each on a connection of its own, and leads all connections there.
 */

import { parsePostgresUrl } from '../../config/postgres-url.ts';
import type { Log } from '../../log/log.ts';
import { type Repetition, repeat } from '../../tasks/repeat.ts';
import type { Findings } from '../findings.ts';
import type { Availability } from './availability.ts';
import { routeOf } from './connection/route.ts';
import { createPrimaryProbe, type PrimaryProbe } from './primary-probe.ts';

const EVERY_MS = 500;
const IN_DOUBT_EVERY_MS = 100;
/** While the primary responds, the others are asked so often: one may have been promoted nevertheless. */
const OTHERS_EVERY_MS = 5000;
/** If the primary takes longer, the others are asked. */
const PATIENCE_MS = 300;
/** At a start all of them are waited for: a former primary may answer first. */
const FIRST_PATIENCE_MS = 1000;
const ANSWER_WITHIN_MS = 3000;

interface WatchOptions {
	findings: Findings;
	availability: Availability;
	log?: Log;
}

export function createWatch(url: string, { findings, availability, log }: WatchOptions) {
	const route = routeOf(url);
	const probes = parsePostgresUrl(url).hosts.map((_, index) =>
		createPrimaryProbe(url, { index, withinMs: ANSWER_WITHIN_MS }),
	);
	let primary = probes[0] as PrimaryProbe;
	/** Timeline of the primary; each promotion begins another. */
	let timeline = 0;
	let othersAskedAt = Number.NEGATIVE_INFINITY;
	const outdated = new Set<PrimaryProbe>();
	/** Time of the query that has no response yet. */
	let inDoubtSince: number | undefined;
	/** True if it did not respond then, as a hanging server does; other connections to it may wait for ever. */
	let isSilent = false;
	let isAway = false;
	let looking: Repetition | undefined;
	let stopWatching = () => {};

	/** The server that says that it is the primary: of several the newest, and the same one for as long as none is newer. */
	async function find(patienceMs: number): Promise<PrimaryProbe | undefined> {
		const at = performance.now();
		const own = await primary.timeline(patienceMs);
		if (own === timeline && at - othersAskedAt < OTHERS_EVERY_MS) return primary;
		// The primary once more: that its connection was closed says nothing of the next one.
		const said = await Promise.all(probes.map((probe) => probe.timeline(patienceMs)));
		othersAskedAt = at;
		isSilent ||= primary.waitsSince() !== undefined;
		timeline = Math.max(timeline, ...said.map((one) => one ?? 0));
		for (const [i, probe] of probes.entries()) note(probe, said[i]);
		const newest = probes.filter((_, i) => said[i] === timeline);
		return newest.includes(primary) ? primary : newest[0];
	}

	/** One from before a promotion is not used: nothing that it stores is where the others store. */
	function note(probe: PrimaryProbe, said: number | undefined): void {
		const isOutdated = said !== undefined && said < timeline;
		if (isOutdated && !outdated.has(probe)) {
			log?.error(
				`${probe.name} says that it is the primary, and so did a server that was promoted after it: it is not used. Stop it, and make it a standby.`,
				{ timeline: said, newest: timeline },
			);
		}
		if (isOutdated) outdated.add(probe);
		else outdated.delete(probe);
	}

	async function look(): Promise<number> {
		const at = performance.now();
		const found = await find(PATIENCE_MS);
		if (found) follow(found, inDoubtSince ?? at);
		else {
			inDoubtSince ??= at;
			const waitsSince = primary.waitsSince() ?? Number.NEGATIVE_INFINITY;
			if (waitsSince < performance.now() - ANSWER_WITHIN_MS) setAway(true, primary.problem());
		}
		findings.remind();
		return found ? EVERY_MS : IN_DOUBT_EVERY_MS;
	}

	/** @param since When it was last sure which server is the primary. */
	function follow(found: PrimaryProbe, since: number): void {
		const isStale = found !== primary || (isAway && isSilent);
		if (isStale || route.primary() === undefined) route.leadTo(found.index, isStale ? since : Number.NEGATIVE_INFINITY);
		primary = found;
		inDoubtSince = undefined;
		isSilent = false;
		setAway(false);
	}

	function setAway(away: boolean, problem?: unknown): void {
		isAway = away;
		availability.set(!away);
		if (away) findings.set('database', problem);
		else findings.clear('database');
	}

	return {
		/** Finds the primary of several servers before the first connection; if there is none, the connections report why. */
		async begin(): Promise<void> {
			route.forget();
			if (probes.length === 1) return;
			const found = await find(FIRST_PATIENCE_MS);
			if (found) follow(found, Number.NEGATIVE_INFINITY);
		},
		start(): void {
			looking = repeat(look, EVERY_MS);
			stopWatching = route.watchedBy({
				noteEnd() {
					if (inDoubtSince === undefined) looking?.wake();
				},
				isWaiting: async (process) => inDoubtSince === undefined && primary.isWaiting(process),
			});
		},
		async stop(): Promise<void> {
			stopWatching();
			await looking?.stop();
			await Promise.all(probes.map((probe) => probe.stop()));
		},
	};
}
