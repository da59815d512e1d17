/**
 * Measures plain submissions to one form that marks have taught, and to a thousand in turns: the rate of both, and what the second
 * adds to the memory of the server.
 *
 *     bun run build && bun bench/word-models.ts [--forms 1000] [--marks 40] [--seconds 10]
 *
 * FORMSRV_DATABASE_URL names a PostgreSQL for it. It exits with 1 if the memory grows by more than 64 MiB, or the rate in turns is less
 * than half.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/log/log.ts';
import { createLesson, encodeLesson, learn } from '../src/spam/bayes/counts.ts';
import { createKeyedHash } from '../src/spam/bayes/keyed-hash.ts';
import { TOKENS_VERSION, tokensOf } from '../src/spam/bayes/tokens.ts';
import { spamModels } from '../src/storage/spam-tables.ts';
import { openProduct, WORK } from './product.ts';

const MAX_GROWTH_MIB = 64;
const SLOWEST = 0.5;
const CONNECTIONS = 16;
const ROWS_AT_ONCE = 50;
const WORDS =
	'garden window lesson price pottery roof colour winter music paper bridge letter morning harbour table'.split(' ');

const RARE_WORDS = 99_991;

const { values } = parseArgs({
	options: { forms: { type: 'string' }, marks: { type: 'string' }, seconds: { type: 'string' } },
});
const formCount = Number(values.forms ?? 1000);
const marks = Number(values.marks ?? 40);
const seconds = Number(values.seconds ?? 10);
if (!(formCount > 0 && marks >= 40 && seconds > 0))
	throw new Error('All options are numbers above 0, --marks 40 or more.');
const url = process.env.FORMSRV_DATABASE_URL;

await rm(join(WORK, 'word-models'), { recursive: true, force: true });
const product = await openProduct('word-models', {
	FORMSRV_RATE_FORM: '0',
	FORMSRV_LOG_LEVEL: 'warn',
	...(url && { FORMSRV_DATABASE_URL: url }),
});
const slugs = await teach();
const server = await product.start();
try {
	const one = await load(() => slugs[0] as string);
	const before = (await server.memory()).rss;
	let turn = 0;
	const turns = await load(() => slugs[turn++ % slugs.length] as string);
	const growth = (await server.memory()).peak - before;
	const ratio = turns.perSecond / one.perSecond;
	console.log(`one form        ${describe(one)}, ${Math.round(before)} MiB`);
	console.log(`${slugs.length} forms in turns ${describe(turns)}, +${Math.round(growth)} MiB at the most`);
	console.log(`rate ${ratio.toFixed(2)} (at least ${SLOWEST}), memory at most +${MAX_GROWTH_MIB} MiB`);
	process.exitCode = ratio >= SLOWEST && growth <= MAX_GROWTH_MIB ? 0 : 1;
} finally {
	await server.stop();
	await rm(join(WORK, 'word-models'), { recursive: true, force: true });
}

/** Texts without a sign of spam, each of some thirty words of which a third are rare. */
function text(form: number, i: number): string {
	const words = Array.from({ length: 30 }, (_, k) =>
		k % 3 ? WORDS[(form + i * 7 + k) % WORDS.length] : rareWord(form * 7919 + (i * 30 + k) * 104_729),
	);
	return JSON.stringify({ name: `Ada ${i}`, email: `ada${i}@example.com`, message: words.join(' ') });
}

/** Words of letters alone: all digits count alike. */
function rareWord(number: number): string {
	return String(number % RARE_WORDS).replace(/\d/g, (digit) => 'aeioulnrst'.charAt(Number(digit)));
}

/** Makes the forms, and what half as many marks of each kind teach the model of each, and that of all. */
async function teach(): Promise<string[]> {
	const env = { FORMSRV_DATA_DIR: product.dataDir, ...(url && { FORMSRV_DATABASE_URL: url }) };
	const config = loadConfig({ env, flags: {}, cwd: WORK, isTerminal: false });
	const log = createLog({ level: 'warn', format: 'text', write: (line) => void process.stderr.write(line) });
	const app = await openApp(config, { log });
	const hash = createKeyedHash(await app.spam.models.secret());
	const ofAll = createLesson();
	const made: string[] = [];
	const rows: (typeof spamModels.$inferInsert)[] = [];
	const rowOf = (formId: number | null, lesson: ReturnType<typeof createLesson>) => ({
		id: app.storage.nextId(),
		version: TOKENS_VERSION,
		mode: 'live' as const,
		formId,
		spam: lesson.spam,
		ham: lesson.ham,
		counts: encodeLesson(lesson),
	});
	const prefix = `bench-${Date.now().toString(36)}`;
	for (let form = 0; form < formCount; form++) {
		const { id, slug } = await app.forms.create('live', { name: `Form ${form}`, slug: `${prefix}-${form}` });
		made.push(slug);
		const lesson = createLesson();
		for (let i = 0; i < marks; i++) {
			const { buckets } = tokensOf(text(form, i), hash);
			for (const one of [lesson, ofAll]) learn(one, buckets, { isSpam: i % 2 === 0, times: 1 });
		}
		rows.push(rowOf(Number.parseInt(id, 36), lesson));
	}
	rows.push(rowOf(null, ofAll));
	for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
		await app.storage.batch((tx) => [tx.insert(spamModels).values(rows.slice(at, at + ROWS_AT_ONCE))]);
	}
	await app.close();
	return made;
}

interface Load {
	perSecond: number;
	/** Processor time of the server for each submission. */
	cpuMicros: number;
}

function describe({ perSecond, cpuMicros }: Load): string {
	return `${Math.round(perSecond)}/s, ${Math.round(cpuMicros)} µs of the server’s processor time each`;
}

async function load(nextSlug: () => string): Promise<Load> {
	const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
	let sent = 0;
	const send = async (until: number) => {
		while (performance.now() < until) {
			const i = sent++;
			const response = await fetch(`${server.url}/api/f/${nextSlug()}`, { method: 'POST', headers, body: text(i, i) });
			if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
			await response.arrayBuffer();
		}
	};
	const all = (ms: number) => Promise.all(Array.from({ length: CONNECTIONS }, () => send(performance.now() + ms)));
	await all(1000);
	sent = 0;
	const [cpu, began] = [await server.cpuSeconds(), performance.now()];
	await all(1000 * seconds);
	const took = performance.now() - began;
	return { perSecond: (1000 * sent) / took, cpuMicros: (1e6 * ((await server.cpuSeconds()) - cpu)) / sent };
}
