/** Stores submissions, then builds their search index as a server does, and prints the cost as one line of JSON. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../src/storage/open.ts';
import { forms } from '../src/storage/tables.ts';

const ROWS = Number(process.argv[2] ?? 100_000);
const CHUNK = 2000;
const FORM = 1;
const NAMES = ['name', 'email', 'message', 'newsletter'];
const WORDS =
	'about after again all also always ask because before between book both call change city could day different do each end even every find first give good great group hand help here high home house how important keep know large last leave letter life line little live look make many may mean might more most much must name need never new next night number often old only open order other our part people place plan play point question read right same school see seem set should show small so some start state still stop story study such take talk tell than them there thing think through time together town try turn under until use very want water way week well what when where which while white who why will with word work world would write year young'.split(
		' ',
	);

/** The same texts in every run. */
function createRandom(): () => number {
	let state = 42;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** Typical submissions: a name, an address, some 25 words. */
function createTexts(): (i: number) => string {
	const random = createRandom();
	const word = () => WORDS[Math.floor(random() * WORDS.length)];
	return (i) =>
		JSON.stringify({
			name: `${word()} ${word()}`,
			email: `${word()}.${word()}${i}@example.com`,
			message: Array.from({ length: 15 + Math.floor(random() * 20) }, word).join(' '),
			newsletter: i % 3 === 0,
		});
}

const folder = mkdtempSync(join(tmpdir(), 'formsrv-bench-index-'));
const storage = await openStorage(join(folder, 'formsrv.db'));
await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'contact', name: 'Contact' })]);
const text = createTexts();
const storing = process.cpuUsage();
for (let first = 0; first < ROWS; first += CHUNK) {
	await Promise.all(
		Array.from({ length: Math.min(CHUNK, ROWS - first) }, (_, i) => {
			const row = { formId: FORM, data: text(first + i), names: NAMES };
			return storage.submissions.append({ ...row, spamReason: null, subject: null, replyTo: null });
		}),
	);
}

const stored = process.cpuUsage(storing);
const indexing = process.cpuUsage();
await storage.search.catchUp();
const indexed = process.cpuUsage(indexing);
await storage.close();
const microseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / ROWS;
console.log(JSON.stringify({ storeMicros: microseconds(stored), indexMicros: microseconds(indexed) }));
rmSync(folder, { recursive: true, force: true });
