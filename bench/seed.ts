/** Fills a form with submissions through the product's storage, so that its counts are right. */

import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { isPostgres } from '../src/config/postgres-url.ts';
import { openStorage } from '../src/storage/open.ts';

const CHUNK = 2000;
/** One submission every two seconds, until now. */
const SPACING_MS = 2000;
const NAMES = ['name', 'email', 'message', 'newsletter', 'source'];

const data = (i: number) =>
	JSON.stringify({
		name: `Person ${i}`,
		email: `person${i}@example.com`,
		message: `Hello, this is message number ${i}. ${'I would like to know more about your work. '.repeat(3)}`,
		newsletter: i % 3 === 0,
		source: 'website',
	});

const isSpam = (i: number) => i % 20 === 7;

/** Every 20th is spam; of the others two thirds are read and one in a hundred is starred. */
async function seed(file: string, { formId, rows }: { formId: number; rows: number }): Promise<void> {
	if (isPostgres(file)) await forgetLastIds(file);
	let clock = Date.now() - rows * SPACING_MS;
	// Each submission asks for the time when it is written.
	const now = () => (clock += SPACING_MS);
	const storage = await openStorage(file, { now, elapsed: () => clock });
	const noServer = storage.serve();
	for (let first = 0; first < rows; first += CHUNK) {
		const appended: Promise<number>[] = [];
		for (let i = first; i < Math.min(first + CHUNK, rows); i++) {
			appended.push(
				storage.submissions.append({
					formId,
					data: data(i),
					names: NAMES,
					spamReason: isSpam(i) ? 'honeypot' : null,
					subject: null,
					replyTo: null,
				}),
			);
		}
		const ids = (await Promise.all(appended)).filter((_, i) => !isSpam(first + i));
		const read = ids.filter((_, i) => i % 3 !== 0);
		const starred = ids.filter((_, i) => i % 100 === 50);
		await storage.submissions.change(formId, read, { isRead: true });
		await storage.submissions.change(formId, starred, { isStarred: true });
	}
	// Otherwise a server would build the search index during the measurement.
	await storage.search.catchUp();
	noServer();
	await storage.close();
}

/** Else all ids would come after those that the server made. */
async function forgetLastIds(address: string): Promise<void> {
	const sql = postgres(address, { max: 1, fetch_types: false });
	await sql`update servers set last_id = 0`;
	await sql.end();
}

const { values } = parseArgs({
	options: { file: { type: 'string' }, form: { type: 'string' }, rows: { type: 'string' } },
});
if (!values.file || !values.form || !values.rows) throw new Error('Usage: seed.ts --file FILE --form ID --rows N');
await seed(values.file, { formId: Number.parseInt(values.form, 36), rows: Number(values.rows) });
