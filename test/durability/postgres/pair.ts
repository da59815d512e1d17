/** Two PostgreSQL servers: a primary, and a standby without which nothing is committed. */

import { existsSync, readFileSync } from 'node:fs';
import postgres from 'postgres';
import { startPostgres } from '../../postgres-server.ts';
import { until } from '../../until.ts';

export type Pair = Awaited<ReturnType<typeof startPair>>;

export async function startPair() {
	const primary = await startPostgres();
	const standby = await startPostgres({ standbyOf: primary });
	const sql = postgres(primary.address(), { max: 1, fetch_types: false });
	// In the configuration of the primary alone: the standby is to commit by itself when it is promoted.
	await sql`alter system set synchronous_standby_names = 'standby'`;
	await sql`select pg_reload_conf()`;
	await until(async () => (await sql`select 1 from pg_stat_replication where sync_state = 'sync'`).length > 0);
	await sql.end();
	let isWhole = true;

	return {
		primary,
		standby,
		/** Address of a database of both; a connecting client finds the primary. */
		address: (database: string) =>
			`postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}`,
		/** Sends a signal to the primary, to each of its processes. */
		signalPrimary(signal: 'SIGKILL' | 'SIGSTOP'): void {
			isWhole = false;
			const pid = primary.pid();
			for (const one of [pid, ...childrenOf(pid)]) send(one, signal);
		},
		async promote(): Promise<void> {
			const admin = postgres(standby.address(), { max: 1, fetch_types: false });
			await admin`select pg_promote()`;
			await admin.end();
		},
		async close(): Promise<void> {
			if (isWhole) await primary.stop('immediate');
			else this.signalPrimary('SIGKILL');
			await standby.stop('immediate');
		},
	};
}

function childrenOf(pid: number): number[] {
	const path = `/proc/${pid}/task/${pid}/children`;
	return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It ended meanwhile.
	}
}
