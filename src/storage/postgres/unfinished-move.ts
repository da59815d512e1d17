/** Marks the target of an unfinished move; see `move.ts`. A server checks after it joined, a move after it set the mark: one sees the other. */

import { AppError } from '../../errors.ts';
import { type Runner, rowsOf, type Sql } from './connection.ts';

const IN_USE = "select 1 from servers where seen_at > now() - interval '30 s' limit 1";

/** @returns the source of the move; `undefined` if there is none */
export async function readMove(sql: Runner): Promise<string | undefined> {
	const [[isThere = false] = []] = await rowsOf<[boolean]>(sql, "select to_regclass('formsrv_move') is not null");
	if (!isThere) return undefined;
	const [[source = ''] = []] = await rowsOf<[string]>(sql, 'select source from formsrv_move');
	return source;
}

/** @throws AppError if a move was not finished */
export async function rejectUnfinishedMove(sql: Sql): Promise<void> {
	const source = await readMove(sql);
	if (source === undefined) return;
	throw new AppError(
		'UNAVAILABLE',
		`The database is not whole: a move from ${source} was not finished. Run "formsrv move" again, or empty the database.`,
	);
}

/** @throws AppError if servers or commands have it open */
export async function rejectServers(sql: Sql, name: string): Promise<void> {
	if ((await rowsOf(sql, IN_USE)).length === 0) return;
	throw new AppError(
		'UNAVAILABLE',
		`A server or a command uses ${name}, or was killed within the last 30 seconds. Stop it first.`,
	);
}
