/**
 * Watches whether the database can be asked: while it cannot, everything is rejected at once. Of several servers it finds the
 * primary, by asking each on a connection of its own, and leads all connections there.
 */

import { parsePostgresUrl } from '../../config/postgres-url.ts';
import { repeat } from '../../repeat.ts';
import type { Findings } from '../findings.ts';
import type { Presence } from './presence.ts';
import { routeOf } from './route.ts';
import { createScout, type Scout } from './scout.ts';

const EVERY_MS = 1000;
const IN_DOUBT_EVERY_MS = 100;
/** If the primary takes longer, the others are asked: one of them may have been promoted. */
const PATIENCE_MS = 300;
const ANSWER_WITHIN_MS = 3000;

export function createWatch(url: string, { findings, presence }: { findings: Findings; presence: Presence }) {
	const route = routeOf(url);
	const scouts = parsePostgresUrl(url).hosts.map((_, index) => createScout(url, { index, withinMs: ANSWER_WITHIN_MS }));
	let primary = scouts[route.first()] as Scout;
	/** When it was asked what it has not answered. */
	let inDoubtSince: number | undefined;
	/** Whether it said nothing then, as one that hangs; other connections to it may wait for ever. */
	let isSilent = false;
	let isAway = false;

	/** The server that says that it is the primary: the same one for as long as it says so. */
	async function find(): Promise<Scout | undefined> {
		if (await primary.isPrimary(PATIENCE_MS)) return primary;
		isSilent ||= primary.waitsSince() !== undefined;
		// That its connection was closed says nothing of the next one.
		if (!isSilent && (await primary.isPrimary(PATIENCE_MS))) return primary;
		const others = scouts.filter((scout) => scout !== primary);
		const said = await Promise.all(others.map((scout) => scout.isPrimary(PATIENCE_MS)));
		return others.find((_, i) => said[i]);
	}

	async function look(): Promise<number> {
		const at = performance.now();
		const found = await find();
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
	function follow(found: Scout, since: number): void {
		if (found !== primary || (isAway && isSilent)) route.leadTo(found.index, since);
		primary = found;
		inDoubtSince = undefined;
		isSilent = false;
		setAway(false);
	}

	function setAway(away: boolean, problem?: unknown): void {
		isAway = away;
		presence.set(!away);
		if (away) findings.set('database', problem);
		else findings.clear('database');
	}

	const looking = repeat(look, EVERY_MS);

	return {
		async stop(): Promise<void> {
			await looking.stop();
			await Promise.all(scouts.map((scout) => scout.stop()));
		},
	};
}
