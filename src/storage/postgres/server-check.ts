/** Checks that formsrv can use a server: its version, its encoding, and a session behind each connection. */

import { AppError } from '../../errors.ts';
import { connect, rowsOf, type Sql } from './connection.ts';

const OLDEST = 150_000;
const QUESTION = `select current_setting('server_version_num')::int, current_setting('server_version'),
	current_setting('server_encoding'), pg_backend_pid()`;
const SESSION = "select current_setting('formsrv.session', true)";

/** @throws AppError with a sentence for the operator */
export async function checkServer(url: string): Promise<void> {
	const open = () => connect(url, { name: 'formsrv start', max: 1, isBrief: true });
	await using sql = open();
	const answer = await sql.unsafe(QUESTION).values();
	const [number, version, encoding, process] = answer[0] as [number, string, string, number];
	if (number < OLDEST) throw rejection(`PostgreSQL is ${version}; formsrv needs 15 or newer.`);
	if (encoding !== 'UTF8')
		throw rejection(`The database has the encoding ${encoding}; formsrv needs one made with UTF8.`);
	// A pooler gives its clients numbers of its own.
	if (process !== answer.state.pid && !(await keepsSessions(open))) {
		throw rejection(
			'Between formsrv and PostgreSQL is a pooler that gives each transaction another session, such as pgbouncer with pool_mode = ' +
				'transaction. Locks and notices need sessions: set pool_mode = session there, or name PostgreSQL itself in ' +
				'FORMSRV_DATABASE_URL.',
		);
	}
}

/** Returns whether a setting of one connection is there for it again, and for no other. */
async function keepsSessions(open: () => Sql): Promise<boolean> {
	await using one = open();
	await using other = open();
	const token = crypto.randomUUID();
	await rowsOf(one, "select set_config('formsrv.session', $1, false)", [token], false);
	const [ofOther] = await rowsOf<[string | null]>(other, SESSION, [], false);
	const [ofOne] = await rowsOf<[string | null]>(one, SESSION, [], false);
	return ofOne?.[0] === token && ofOther?.[0] !== token;
}

function rejection(sentence: string): AppError {
	return new AppError('UNAVAILABLE', sentence);
}
