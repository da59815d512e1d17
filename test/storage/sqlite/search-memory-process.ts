/** Fills a search index segment by segment, and prints by how much the memory of the process grew after the first ones, as JSON. */

import { readFileSync } from 'node:fs';
import { fieldsOf } from '../../../bench/mix.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { forms } from '../../../src/storage/tables.ts';

const SEGMENT = { submissions: 200, characters: Number.MAX_SAFE_INTEGER };
const [first, all] = [24, 96];
const FORM = 1;

const storage = openSqlite(`${process.argv[2]}`, { searchSegment: SEGMENT });
await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'a', name: 'A' })]);
const bodies = fieldsOf('mix').slice(0, 5 * SEGMENT.submissions);

function anonymousMiB(): number {
	Bun.gc(true);
	return Number(/^Anonymous: +(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))?.[1]) / 1024;
}

async function fillSegment(count: number): Promise<void> {
	const from = (count % 5) * SEGMENT.submissions;
	const sent = bodies.slice(from, from + SEGMENT.submissions);
	const none = { spamReason: null, subject: null, replyTo: null };
	await Promise.all(
		sent.map((fields) =>
			storage.submissions.append({
				...none,
				formId: FORM,
				data: JSON.stringify(fields),
				names: Object.keys(fields),
			}),
		),
	);
	while (await storage.search.advance());
}

for (let count = 0; count < first; count++) await fillSegment(count);
const before = anonymousMiB();
for (let count = first; count < all; count++) await fillSegment(count);
console.log(JSON.stringify({ segments: all - first, mebibytes: anonymousMiB() - before }));
await storage.close();
