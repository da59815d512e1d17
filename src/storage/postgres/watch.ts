/** Watches whether the database can be asked, on a connection of its own: while it cannot, everything is rejected at once. */

import { repeat } from '../../repeat.ts';
import type { Findings } from '../findings.ts';
import { connect, rowsOf, withDeadline } from './connection.ts';
import type { Presence } from './presence.ts';

const EVERY_MS = 1000;
const AWAY_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 3000;

export function createWatch(url: string, { findings, presence }: { findings: Findings; presence: Presence }) {
	const sql = connect(url, { name: 'formsrv watch', max: 1, silentMs: ANSWER_WITHIN_MS });

	async function look(): Promise<number> {
		try {
			await withDeadline(rowsOf(sql, 'select 1'), ANSWER_WITHIN_MS);
			presence.set(true);
			findings.clear('database');
		} catch (error) {
			findings.set('database', error);
			presence.set(false);
		}
		findings.remind();
		return findings.has('database') ? AWAY_EVERY_MS : EVERY_MS;
	}

	const looking = repeat(look, EVERY_MS);

	return {
		async stop(): Promise<void> {
			await looking.stop();
			await sql.end({ timeout: 0 });
		},
	};
}
