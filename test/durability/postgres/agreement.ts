/** Checks that hold after any fault: nothing lost, nothing twice, and all counts and lists agree. */

import { expect } from 'bun:test';
import postgres from 'postgres';
import { until } from '../../until.ts';
import type { Load } from './load.ts';
import type { FormSlug, Servers } from './servers.ts';
import type { Page, Poller, Receiver } from './witnesses.ts';

const PAGE = 100;
const NOT_AS_COUNTED = `
	select count(*)::int as wrong from submission_blocks b join forms f on f.id = b.form_id cross join lateral (
		select count(*) filter (where is_spam = 0) total, count(*) filter (where is_spam = 1) spam from submissions
			where form_id = b.form_id and id >= b.first_id and id < coalesce((select min(first_id) from submission_blocks n
				where n.form_id = b.form_id and n.first_id > b.first_id), f.folded_to)) c
	where (b.total, b.spam) <> (c.total, c.spam)`;

export interface Witnesses {
	/** Address of the database, as it is now. */
	address: string;
	servers: Servers;
	load: Load;
	poller: Poller;
	receiver: Receiver;
	/** How many deliveries may have arrived without being noted down as sent. */
	mayRepeat: number;
}

/** To be called when the load has stopped. Returns the figures. */
export async function expectAgreement({ address, servers, load, poller, receiver, mayRepeat }: Witnesses) {
	const sql = postgres(address, { max: 1, fetch_types: false, onnotice() {} });
	const marksOf = async (slug: FormSlug) =>
		(
			await sql.unsafe<{ mark: string }[]>(
				`select data::json ->> 'mark' as mark from submissions
					where form_id = (select id from forms where slug = $1) order by id`,
				[slug],
			)
		).map(({ mark }) => mark);
	const stored = { plain: await marksOf('plain'), told: await marksOf('told') };
	const all = [...stored.plain, ...stored.told];
	expectOnce(all, load);
	await poller.hasSeen(stored.plain.at(-1) as string);
	await poller.stop();
	const seen = new Set(poller.seen);
	const missed = stored.plain.filter((mark) => !seen.has(mark));
	expect({ missed, repeated: poller.seen.length - seen.size }).toEqual({ missed: [], repeated: 0 });
	for (const slug of ['plain', 'told'] as const) {
		for (let index = 0; index < servers.count; index++)
			await expectLists(servers, { index, slug, marks: stored[slug] });
	}
	const [blocks] = await sql.unsafe(NOT_AS_COUNTED);
	expect(blocks?.wrong).toBe(0);
	const unsent = async () => Number((await sql`select count(*) as n from deliveries where state <> 'sent'`)[0]?.n);
	await until(async () => (await unsent()) === 0, { withinMs: 50_000 });
	await sql.end();
	const repeated = expectDeliveries(receiver, { told: stored.told, mayRepeat });
	const { acknowledged, rejected, unknown } = load.said;
	return {
		seen: seen.size,
		stored: all.length,
		acknowledged: acknowledged.size,
		rejected: rejected.size,
		unknown: unknown.size,
		deliveries: stored.told.length,
		repeated,
	};
}

function expectOnce(marks: readonly string[], { said }: Load): void {
	const stored = new Set(marks);
	const doubled = marks.length - stored.size;
	const lost = [...said.acknowledged].filter((mark) => !stored.has(mark));
	const against = [...said.rejected].filter((mark) => stored.has(mark));
	const unheard = marks.filter((mark) => !said.acknowledged.has(mark) && !said.unknown.has(mark));
	expect({ doubled, lost, against, unheard }).toEqual({ doubled: 0, lost: [], against: [], unheard: [] });
}

/** The count and the list of a form as one of the servers tells them. */
async function expectLists(
	servers: Servers,
	{ index, slug, marks }: { index: number; slug: FormSlug; marks: readonly string[] },
): Promise<void> {
	const path = `/api/forms/${servers.idOf(slug)}`;
	const form = await servers.read<{ submissionCount: number }>(index, path);
	expect(form.submissionCount).toBe(marks.length);
	const listed: string[] = [];
	for (let offset = 0; offset < marks.length; offset += PAGE) {
		const page = await servers.read<Page>(index, `${path}/submissions?order=asc&limit=${PAGE}&offset=${offset}`);
		for (const { data } of page.submissions) listed.push(data.mark);
	}
	expect(listed).toEqual([...marks]);
}

/** Returns how many arrived more often than once. */
function expectDeliveries(
	{ arrivals }: Receiver,
	{ told, mayRepeat }: { told: readonly string[]; mayRepeat: number },
): number {
	expect([...arrivals.keys()].toSorted()).toEqual(told.toSorted());
	const repeats = [...arrivals.values()].filter((ids) => ids.length > 1);
	// A receiver knows a repeated one by its id.
	expect(repeats.filter((ids) => new Set(ids).size > 1)).toEqual([]);
	const repeated = repeats.reduce((sum, ids) => sum + ids.length - 1, 0);
	expect(repeated).toBeLessThanOrEqual(mayRepeat);
	return repeated;
}
