/** A form has exactly as many submissions as it takes, on two servers whose connections break again and again. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import { FormFull, Unavailable } from '../../../src/storage/errors.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

const FORM = 7;
const PLACES = 600;
const PRODUCERS = 16;
const PER_BREAK = 40;

test('whatever statement the connections break at, no place is given twice and none is lost', async () => {
	const address = await newPostgresDatabase();
	const sql = postgres(address, { max: 1, fetch_types: false });
	const servers = [await openStorage(address), await openStorage(address)] as const;
	const [first] = servers;
	const row = { id: FORM, mode: 'live', slug: 's', name: 'n', maxSubmissions: PLACES } as const;
	await first.batch((tx) => [tx.insert(forms).values(row)]);
	const acknowledged: number[] = [];
	let rejectedAsFull = 0;
	let sent = 0;

	async function produce(storage: (typeof servers)[number]): Promise<void> {
		for (;;) {
			const number = ++sent;
			const rest = { formId: FORM, names: ['n'], spamReason: null, subject: null, replyTo: null };
			try {
				await storage.submissions.append({ data: `{"n":${number}}`, ...rest });
				acknowledged.push(number);
			} catch (error) {
				if (error instanceof FormFull) {
					rejectedAsFull++;
					return;
				}
				expect(error).toBeInstanceOf(Unavailable);
				await Bun.sleep(5);
			}
		}
	}

	let isOver = false;
	const producing = Promise.all(
		servers.flatMap((storage) => Array.from({ length: PRODUCERS }, () => produce(storage))),
	);
	void producing.finally(() => {
		isOver = true;
	});
	for (let goal = PER_BREAK; !isOver; goal = acknowledged.length + PER_BREAK) {
		await until(() => acknowledged.length >= goal || isOver, { everyMs: 2 });
		await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'formsrv writer%' and datname = current_database()`;
	}
	await producing;
	const stored = (await sql`select data from submissions`).map(
		({ data }) => (JSON.parse(data as string) as { n: number }).n,
	);
	expect([stored.length, new Set(stored).size]).toEqual([PLACES, PLACES]);
	expect(acknowledged.filter((number) => !stored.includes(number))).toEqual([]);
	expect(rejectedAsFull).toBe(2 * PRODUCERS);
	await sql.end();
	for (const storage of servers) await storage.close();
}, 60_000);
