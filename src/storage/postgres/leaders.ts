/** Work that one server does for all: it belongs to the server that holds its lock in the database, for as long as it is connected. */

import { repeat } from '../../tasks/repeat.ts';
import type { StopWork } from '../contract.ts';
import { connect, rowsOf, SILENT_MS, type Sql, withDeadline } from './connection.ts';

const LOOK_EVERY_MS = 1000;
const UNLOCK_WITHIN_MS = 1000;
/** Added to the numbers of the kinds of work: locks that nothing else in the database takes. */
const LOCKS = 0x666f726d00;
const WORK = ['maintenance', 'search', 'delivery', 'backup'] as const;
/** Another server may begin as soon as the connection is gone. */
const LOST_GRACE_MS = 0;

export type Work = (typeof WORK)[number];

interface Office {
	work: Work;
	start(): StopWork;
	stop: StopWork | undefined;
}

export function createLeaders(url: string, onError: (error: unknown) => void) {
	const offices = new Set<Office>();
	let connection: Sql | undefined;

	async function stand(): Promise<void> {
		connection ??= connect(url, { name: 'formsrv leader', max: 1, silentMs: SILENT_MS, onClosed: lose });
		for (const office of offices) {
			if (office.stop) continue;
			const lock = LOCKS + WORK.indexOf(office.work);
			const [row] = await rowsOf<[boolean]>(connection, 'select pg_try_advisory_lock($1)', [lock]);
			if (row?.[0] && offices.has(office)) office.stop = office.start();
		}
		// Also says whether the connection, and with it the locks, is still there.
		await rowsOf(connection, 'select 1');
	}

	function lose(): void {
		for (const office of offices) {
			void office.stop?.(LOST_GRACE_MS).catch(onError);
			office.stop = undefined;
		}
	}

	let looking: ReturnType<typeof repeat> | undefined;

	return {
		lead(work: Work, start: () => StopWork): StopWork {
			const office: Office = { work, start, stop: undefined };
			offices.add(office);
			looking ??= repeat(async () => {
				await stand().catch(onError);
				return LOOK_EVERY_MS;
			}, 0);
			looking.wake();
			return async (graceMs) => {
				offices.delete(office);
				await office.stop?.(graceMs);
				if (!connection) return;
				const unlocked = rowsOf(connection, 'select pg_advisory_unlock($1)', [LOCKS + WORK.indexOf(work)]);
				await withDeadline(unlocked, UNLOCK_WITHIN_MS).catch(onError);
			};
		},
		async close(): Promise<void> {
			offices.clear();
			const stopped = looking?.stop();
			await connection?.end();
			await stopped;
		},
	};
}
