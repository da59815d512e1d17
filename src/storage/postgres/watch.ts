/** Watches whether the database answers: while it does not, everything that would be stored is rejected at once. */

import { repeat } from '../../repeat.ts';
import type { Findings } from '../findings.ts';
import { rowsOf, type Sql, withDeadline } from './connection.ts';

const EVERY_MS = 1000;
const AWAY_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 3000;

export function createWatch(sql: Sql, findings: Findings): { stop(): Promise<void> } {
	async function look(): Promise<number> {
		try {
			await withDeadline(rowsOf(sql, 'select 1'), ANSWER_WITHIN_MS);
			findings.clear('database');
		} catch (error) {
			findings.set('database', error);
		}
		findings.remind();
		return findings.has('database') ? AWAY_EVERY_MS : EVERY_MS;
	}

	return repeat(look, EVERY_MS);
}
