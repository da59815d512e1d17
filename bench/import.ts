/**
 * Moves in: exports of other services, and of formsrv, go in and come out again, row for row.
 *
 *     bun run build && bun bench/import.ts [--rows 100000] [--engine sqlite|postgres] [--vendors formspree,basin] [--cut basin]
 *         [--warm-ms 1500]
 *
 * Each has a database of its own. It goes in from elsewhere (`--server`) and a second time, which stores nothing; then into a form of its own on the machine of the
 * server, with the command killed in the middle (SIGKILL) and repeated; then from elsewhere with the server killed in the middle, started
 * again and the command repeated; and at last the form's own export goes into another one. With `--cut` these are done with the vendors that
 * it names alone. After each, the export, the counts, every page, lists by time and searches are compared with the file. Prints time and memory, and ends with 1 at the first difference, or if a server or
 * command takes more than 64 MiB for it.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { makeDatabase, startPostgres } from '../test/postgres-server.ts';
import { sendAtRate } from './load.ts';
import { SETTINGS } from './postgres.ts';
import type { Running } from './processes.ts';
import { BINARY, type Form, jsonPost, openProduct, type Product, WORK } from './product.ts';
import { short } from './report.ts';
import { rowOf, type Sent, VENDORS, type Vendor, writeExport } from './vendor-exports.ts';

const MAX_GROWTH_MIB = 64;
/** Rows of an import that takes no memory to speak of. */
const FEW = 100;
const PAGE = 100;
const PAGES_AT_ONCE = 4;
/** One page of so many is requested by its number. */
const EACH = 7;
const WARM_PER_SECOND = 1000;
const LOOK_EVERY_MS = 10;
/** The index of the search follows an import at some thousand a second, and does parts again that have become too large. */
const INDEXED_WITHIN_MS = 900_000;
/** Parts of words, whole short ones, and none. */
const WORDS = ['zürich', 'ok', 'jumps lazy', '日本', 'tulip 9', 'person77@example.com', 'nothing-like-it'];

interface Stored {
	id: string;
	/** The line of the export without its id. */
	text: string;
	number: number;
	isSpam: boolean;
}

interface Report {
	imported: number;
	known: number;
	bad: number;
}

interface Ended {
	code: number | null;
	stdout: string;
	stderr: string;
	peakMib: number;
	seconds: number;
}

const { values } = parseArgs({
	options: {
		rows: { type: 'string', default: '100000' },
		engine: { type: 'string', default: 'sqlite' },
		vendors: { type: 'string', default: Object.keys(VENDORS).join() },
		cut: { type: 'string' },
		'warm-ms': { type: 'string', default: '1500' },
	},
});
const rows = Number(values.rows);
const names = values.vendors.split(',');
const areCut = (values.cut ?? values.vendors).split(',');
const warmMs = Number(values['warm-ms']);
if (!(rows >= FEW) || !['sqlite', 'postgres'].includes(values.engine) || names.some((name) => !(name in VENDORS)))
	throw new Error(`--rows from ${FEW}, --engine sqlite or postgres, --vendors of ${Object.keys(VENDORS).join()}.`);

const name = `import-${process.pid}`;
const folder = join(WORK, name);
const database = values.engine === 'postgres' ? await startPostgres({ settings: SETTINGS, parent: WORK }) : undefined;
try {
	console.log(
		'| Export | Rows | From elsewhere | Server more than before | Command more than for 100 rows | Near, with its command |\n|---|---|---|---|---|---|',
	);
	for (const vendor of names) {
		const url = database && { FORMSRV_DATABASE_URL: await makeDatabase(database.address(), `import_${vendor}`) };
		const product = await openProduct(name, { ...url });
		writeFileSync(join(folder, 'key'), product.authorization.Authorization.replace('Bearer ', ''));
		await moveIn(product, vendor);
		await rm(folder, { recursive: true });
	}
} finally {
	await database?.stop('immediate');
	for (const path of [folder, `${folder}.log`]) await rm(path, { recursive: true, force: true });
}

async function moveIn(product: Product, vendorName: string): Promise<void> {
	const vendor = VENDORS[vendorName] as Vendor;
	const path = join(folder, `${vendorName}.txt`);
	const fewPath = join(folder, `${vendorName}-few.txt`);
	await writeExport(path, vendor, rows);
	await writeExport(fewPath, vendor, FEW);
	let server = await product.start();
	const expected = Array.from({ length: rows }, (_, i) => vendor.sentOf(rowOf(i)));
	const newForm = () => product.createForm(server, vendorName);
	const far = () => ['--server', server.url, '--key-file', join(folder, 'key')];
	const run = (form: Form, file: string, ...where: string[]) =>
		start(product, ['import', file, '--form', form.id, '--from', vendor.from, '--json', ...vendor.options, ...where]);
	const finish = async (form: Form, file: string, ...where: string[]) => {
		const ended = await run(form, file, ...where).ended;
		if (ended.code !== 0) throw new Error(`The import ended with ${ended.code}: ${ended.stderr}${ended.stdout}`);
		return { ...ended, report: JSON.parse(ended.stdout) as Report };
	};

	try {
		if (warmMs > 0) await use(server, await newForm());
		const [few, fewNear] = [await finish(await newForm(), fewPath, ...far()), await finish(await newForm(), fewPath)];
		await server.untilIdle();

		const form = await newForm();
		const before = (await server.memory()).rss;
		resetPeak(server);
		const first = await finish(form, path, ...far());
		const grown = (await server.memory()).peak - before;
		same(first.report, { imported: rows, known: 0, bad: 0 }, 'The first import');
		const again = await finish(form, path, ...far());
		same(again.report, { imported: 0, known: rows, bad: 0 }, 'The second import');
		const own = await compare(product, server, form, expected);
		const all = [vendorName, short(rows), `${short(first.seconds)} s`];
		if (!areCut.includes(vendorName)) {
			console.log(`| ${[...all, mib(grown), mib(first.peakMib - few.peakMib), '–'].join(' | ')} |`);
			if (Math.max(grown, first.peakMib - few.peakMib) > MAX_GROWTH_MIB) process.exitCode = 1;
			return;
		}

		const near = await newForm();
		const killed = run(near, path);
		await untilStored(server, near, { part: 0.4, ended: killed.ended });
		killed.kill();
		await killed.ended;
		const repeated = await finish(near, path);
		isCut(repeated.report);
		await compare(product, server, near, expected);

		const broken = await newForm();
		const cut = run(broken, path, ...far());
		await untilStored(server, broken, { part: 0.4, ended: cut.ended });
		await server.stop('SIGKILL');
		const said = await cut.ended;
		if (said.code !== 1 || !/imported by then/.test(said.stderr)) throw new Error(`Without a server: ${said.stderr}`);
		server = await product.start();
		isCut((await finish(broken, path, ...far())).report);
		await compare(product, server, broken, expected);

		const copy = await newForm();
		const ownPath = join(folder, 'own.ndjson');
		writeFileSync(ownPath, own.text);
		const ended = await start(product, ['import', ownPath, '--form', copy.id, '--json', ...far()]).ended;
		same(JSON.parse(ended.stdout), { imported: rows, known: 0, bad: 0 }, 'The import of its own export');
		const copied = await compare(product, server, copy, expected);
		const textsOf = (all: readonly Stored[]) => all.map(({ text }) => text).sort();
		if (!Bun.deepEquals(textsOf(own.stored), textsOf(copied.stored)))
			throw new Error('Its own export came out changed.');

		const growths = [grown, first.peakMib - few.peakMib, repeated.peakMib - fewNear.peakMib];
		const repeatedIn = `${short(repeated.seconds)} s, ${mib(growths[2] ?? 0)} more`;
		console.log(`| ${[...all, ...growths.slice(0, 2).map(mib), repeatedIn].join(' | ')} |`);
		if (growths.some((growth) => growth > MAX_GROWTH_MIB)) process.exitCode = 1;
	} finally {
		await server.stop();
	}
}

/** Memory is compared with that of a server that is in use. */
async function use(server: Running, { slug }: Form): Promise<void> {
	await sendAtRate(server, jsonPost(`/api/f/${slug}`), { perSecond: WARM_PER_SECOND, until: Bun.sleep(warmMs) });
}

function mib(value: number): string {
	return `${short(value)} MiB`;
}

function start({ env }: Product, args: string[]): { ended: Promise<Ended>; kill(): void } {
	const began = performance.now();
	const child = Bun.spawn([BINARY, ...args], {
		env: { ...env, PATH: '' },
		stdin: 'ignore',
		stdout: 'pipe',
		stderr: 'pipe',
	});
	let peakMib = 0;
	// The system gives an ended process the peak of the one that started it, if that is higher.
	const watch = setInterval(() => {
		peakMib = Math.max(peakMib, peakOf(child.pid));
	}, LOOK_EVERY_MS);
	const ended = async (): Promise<Ended> => {
		const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
		clearInterval(watch);
		return {
			stdout,
			stderr,
			code: child.signalCode ? null : code,
			peakMib,
			seconds: (performance.now() - began) / 1000,
		};
	};
	return { ended: ended(), kill: () => child.kill('SIGKILL') };
}

function peakOf(pid: number): number {
	try {
		return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
	} catch {
		return 0;
	}
}

/** Its peak is that since now. */
function resetPeak({ pid }: Running): void {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

async function untilStored(
	server: Running,
	form: Form,
	{ part, ended }: { part: number; ended: Promise<unknown> },
): Promise<void> {
	let isEnded = false;
	void ended.then(() => {
		isEnded = true;
	});
	for (;;) {
		const { submissionCount, spamCount } = await ask(server, `/api/forms/${form.id}`);
		if (submissionCount + spamCount >= part * rows) break;
		if (isEnded) throw new Error('The import ended before it could be cut.');
		await Bun.sleep(2);
	}
}

function isCut({ imported, known, bad }: Report): void {
	if (bad > 0 || imported === 0 || known === 0 || imported + known !== rows)
		throw new Error(`Not cut in the middle: ${JSON.stringify({ imported, known, bad })}`);
}

function same(found: object, wanted: object, what: string): void {
	for (const [member, value] of Object.entries(wanted))
		if (!Bun.deepEquals((found as Record<string, unknown>)[member], value))
			throw new Error(
				`${what}: ${member} is ${JSON.stringify((found as Record<string, unknown>)[member])}, not ${JSON.stringify(value)}.`,
			);
}

async function ask({ url }: Running, path: string) {
	const response = await fetch(url + path, {
		headers: { Authorization: `Bearer ${readFileSync(join(folder, 'key'), 'utf8')}` },
	});
	if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return response.json();
}

/** Compares all that can be read of a form with what was sent. */
async function compare(product: Product, server: Running, form: Form, expected: readonly Sent[]) {
	const exportOf = async (filter: string) => {
		const args = ['submissions', 'export', form.id, '--format', 'ndjson', '--order', 'asc', '--filter', filter];
		const { code, stdout, stderr } = await start(product, args).ended;
		if (code !== 0) throw new Error(`The export ended with ${code}: ${stderr}`);
		return stdout;
	};
	const [own, spamText] = [await exportOf('all'), await exportOf('spam')];
	const [stored, spam] = [storedIn(own), storedIn(spamText)];
	const seen = new Set<number>();
	for (const list of [stored, spam]) {
		let last = '';
		for (const { number, text: line, isSpam } of list) {
			const sent = expected[number];
			if (!sent || seen.has(number)) throw new Error(`Number ${number} is not of the file, or there twice.`);
			seen.add(number);
			if (
				!line.includes(`"data":${sent.data},"createdAt":"${sent.createdAt}"`) ||
				isSpam !== sent.isSpam ||
				!line.includes('"isRead":true')
			)
				throw new Error(`Sent ${JSON.stringify(sent)}, stored ${line}`);
			if (sent.createdAt < last) throw new Error(`Out of order at ${line}`);
			last = sent.createdAt;
		}
	}
	if (seen.size !== rows) throw new Error(`${seen.size} of ${rows} are there.`);

	const counted = await ask(server, `/api/forms/${form.id}`);
	same(
		counted,
		{ submissionCount: stored.length, unreadCount: 0, spamCount: spam.length, starredCount: 0 },
		'The counts',
	);
	const listed = `/api/forms/${form.id}/submissions?limit=${PAGE}`;
	await comparePages(server, `${listed}&order=asc`, stored);
	await comparePages(server, `${listed}&order=asc&filter=spam`, spam);
	await compareByTime(server, listed, { stored, expected });
	for (const words of WORDS)
		await compareSearch(server, `${listed}&search=${encodeURIComponent(words)}`, { words, stored });
	return { text: own + spamText, stored: [...stored, ...spam] };
}

function storedIn(text: string): Stored[] {
	return text
		.split('\n')
		.filter(Boolean)
		.map((line) => ({
			id: /"id":"(\w+)"/.exec(line)?.[1] ?? '',
			text: line.replace(/"id":"\w+",/, ''),
			number: Number(/"ref-(\d+)"/.exec(line)?.[1]),
			isSpam: line.includes('"isSpam":true'),
		}));
}

interface Page {
	submissions: { id: string }[];
	pagination: { total: number };
}

/** Every page by its cursor, and some by their numbers. */
async function comparePages(server: Running, path: string, stored: readonly Stored[]): Promise<void> {
	const last = Math.floor(stored.length / PAGE);
	const offsets = Array.from({ length: last + 1 }, (_, i) => i * PAGE).filter((_, i) => i % EACH === 0 || i === last);
	const wanted = (offset: number) => stored.slice(offset, offset + PAGE).map(({ id }) => id);
	async function next(): Promise<void> {
		for (let offset = offsets.pop(); offset !== undefined; offset = offsets.pop()) {
			const page: Page = await ask(server, `${path}&offset=${offset}`);
			same(page.pagination, { total: stored.length }, `The page at ${offset}`);
			same(idsOf(page), wanted(offset), `The page at ${offset}`);
		}
	}
	await Promise.all(Array.from({ length: PAGES_AT_ONCE }, next));
	let cursor = '0';
	for (let offset = 0; offset < stored.length; offset += PAGE) {
		const page = await ask(server, `${path}&after=${cursor}`);
		same(idsOf(page), wanted(offset), `The page after ${cursor}`);
		cursor = page.pagination.cursor;
	}
}

function idsOf({ submissions }: Page): string[] {
	return submissions.map(({ id }) => id);
}

interface Scan {
	stored: readonly Stored[];
	expected: readonly Sent[];
}

async function compareByTime(server: Running, path: string, { stored, expected }: Scan): Promise<void> {
	const timeOf = ({ number }: Stored) => expected[number]?.createdAt ?? '';
	for (const part of [0, 0.3, 0.99]) {
		const since = timeOf(stored[Math.floor(part * stored.length)] as Stored);
		const later = stored.filter((one) => timeOf(one) > since);
		const page: Page = await ask(server, `${path}&order=asc&since=${since}`);
		same(page.pagination, { total: later.length }, `Those since ${since}`);
		same(
			idsOf(page),
			later.slice(0, PAGE).map(({ id }) => id),
			`Those since ${since}`,
		);
	}
}

/** The index follows the import. */
async function compareSearch(
	server: Running,
	path: string,
	{ words, stored }: Pick<Scan, 'stored'> & { words: string },
): Promise<void> {
	const found = stored.filter(({ text }) => hasWords(text, words));
	const wanted = found.toReversed().map(({ id }) => id);
	const deadline = performance.now() + INDEXED_WITHIN_MS;
	for (;;) {
		const page: Page = await ask(server, path);
		const isSame = page.pagination.total === wanted.length && Bun.deepEquals(idsOf(page), wanted.slice(0, PAGE));
		if (isSame) return;
		if (performance.now() > deadline)
			throw new Error(`${JSON.stringify(words)} finds ${page.pagination.total}, the scan ${wanted.length}.`);
		await Bun.sleep(100);
	}
}

function hasWords(line: string, words: string): boolean {
	const values = Object.values(JSON.parse(line).data).join('\n').toLowerCase();
	const own = new Set(values.split(/[^\p{L}\p{N}]+/u));
	return words
		.split(' ')
		.every((word) => (word.length > 2 || /[^a-z0-9]/.test(word) ? values.includes(word) : own.has(word)));
}
