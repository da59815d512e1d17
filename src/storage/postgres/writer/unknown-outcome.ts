/** Finds out the outcome of a statement whose connection broke or which did not return: its commit may have happened, or may still happen. */

import type { Value } from '../../submissions/operation.ts';
import { numbers, rowsOf, type Sql, withDeadline } from '../connection.ts';
import type { ServerNumber } from '../servers.ts';

const ANSWER_WITHIN_MS = 3000;

interface Question {
	/** That the statement may have stored. */
	ids: readonly number[];
	/** The name of the connections on which it ran, which no others have. */
	connections: string;
	server: ServerNumber;
}

/**
 * The ids that are stored; the others never will be. `undefined` as long as the statement goes on. That it has ended is asked first,
 * on its own: a question sees what was stored when it began. The second one writes something itself: where a commit waits for a
 * standby, this one does so behind those that it found.
 */
export async function askStored(sql: Sql, { ids, connections, server }: Question): Promise<Set<number> | undefined> {
	const ask = <Row extends readonly unknown[]>(text: string, values: readonly Value[]) =>
		withDeadline(rowsOf<Row>(sql, text, values), ANSWER_WITHIN_MS);
	const goesOn = 'select 1 from pg_stat_activity where application_name = $1 limit 1';
	if ((await ask(goesOn, [connections])).length > 0) {
		// Backends that wait for us after the network was cut would do so for hours. Busy ones are left alone.
		const leftBehind =
			"select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and state like 'idle%'";
		await ask(leftBehind, [connections]);
		return undefined;
	}
	const [row] = await ask<[string | null]>(
		`with w as (update servers set seen_at = now() where number = $1 and token = $2)
			select array_agg(id)::text from submissions where id = any($3::bigint[])`,
		[server.number, server.token, numbers(ids)],
	);
	return idsIn(row?.[0]);
}

/** Parses the text of an array. */
export function idsIn(text: string | null | undefined): Set<number> {
	return new Set((text ?? '{}').slice(1, -1).split(',').filter(Boolean).map(Number));
}
