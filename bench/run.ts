/** `bun run bench`: measures the compiled program against bare baselines, in turns, and compares with the targets. */

import { parseArgs } from 'node:util';
import { lazy } from '../src/tasks/lazy.ts';
import { measureAgainstBefore } from './before.ts';
import { measureDeletion } from './deletion.ts';
import { describeSync } from './disk.ts';
import { measureDurability } from './durability.ts';
import { measureExport } from './export.ts';
import { measureFiles } from './files.ts';
import { handwrittenFolder, measureAgainstHandwritten } from './handwritten.ts';
import { measureIndex } from './index.ts';
import { measureLists } from './list.ts';
import { measureMail } from './mail.ts';
import { measureAgainstPeer, peerBinary } from './peer.ts';
import { measurePostgres } from './postgres.ts';
import { measurePostgresReads } from './postgres-reads.ts';
import { clearWork, ROOT, WORK } from './product.ts';
import { type Finding, tableHead, tableRow, verdict } from './report.ts';
import type { Effort } from './rounds.ts';
import { measureStartup } from './startup.ts';
import { type Stock, stock } from './stock.ts';
import { measureConnections, measureGrowth, measureKinds, measureSubmissions } from './submit.ts';
import { measureView } from './view.ts';

const SMALL_ROWS = 1000;
const PEER_ROWS = 100_000;
const LIST_BOUNDS = { first: { must: 1.15, aim: 1.06 }, other: { must: 3, aim: 2 } } as const;

/** Resources that the parts need; each is made for the first part that asks for it. */
interface Bench {
	rows: number;
	effort: Effort;
	/** An earlier build to compare with. */
	before: string | undefined;
	/** A bare Bun.serve, compiled like the program. */
	bare(): Promise<string>;
	small(): Promise<Stock>;
	large(): Promise<Stock>;
}

const PARTS: Record<string, (bench: Bench) => Promise<Finding[]>> = {
	submit: async ({ bare, before, effort }) => measureSubmissions({ bare: await bare(), before }, effort),
	kinds: async ({ bare, before, effort }) => measureKinds({ bare: await bare(), before }, effort),
	connections: async ({ bare, before, effort }) => measureConnections({ bare: await bare(), before }, effort),
	list: async ({ small, large, effort }) =>
		measureLists(await small(), await large(), { ...effort, seconds: Math.min(2, effort.seconds), ...LIST_BOUNDS }),
	view: async ({ large }) => measureView(await large()),
	export: async ({ large }) => measureExport(await large()),
	growth: async ({ large, effort }) => measureGrowth((await large()).product, effort),
	startup: async ({ bare, large }) => measureStartup(await bare(), (await large()).product),
	deletion: async ({ large }) => measureDeletion(await large()),
	before: async ({ before, rows, effort }) => (before ? measureAgainstBefore(before, rows, effort) : []),
	index: () => measureIndex(),
	durability: () => measureDurability(),
	files: () => measureFiles(),
	postgres: ({ effort }) => measurePostgres(effort),
	'postgres-reads': ({ rows, effort }) => measurePostgresReads(rows, effort.rounds),
	mail: ({ effort }) => measureMail(effort),
	peer: async ({ effort }) => {
		const binary = peerBinary();
		return binary ? measureAgainstPeer(binary, { stock: await stock('peer', PEER_ROWS), effort }) : [];
	},
	handwritten: async ({ effort }) => {
		const folder = handwrittenFolder();
		return folder ? measureAgainstHandwritten(folder, effort) : [];
	},
};

async function buildBare(): Promise<string> {
	const outfile = `${WORK}/bare`;
	await Bun.build({
		entrypoints: [`${ROOT}/bench/bare.ts`],
		minify: true,
		bytecode: true,
		format: 'esm',
		define: { 'process.env.NODE_ENV': '"production"' },
		compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
	});
	return outfile;
}

const { values } = parseArgs({
	options: {
		only: { type: 'string', default: Object.keys(PARTS).join() },
		rows: { type: 'string', default: '1000000' },
		rounds: { type: 'string', default: '5' },
		seconds: { type: 'string', default: '3' },
		before: { type: 'string' },
	},
});
const names = values.only.split(',');
const unknown = names.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
	console.error(`--only: there is no part ${unknown.join()}. Parts: ${Object.keys(PARTS).join()}.`);
	process.exit(2);
}

const rows = Number(values.rows);
const bench: Bench = {
	rows,
	effort: { rounds: Number(values.rounds), seconds: Number(values.seconds) },
	before: values.before,
	bare: lazy(buildBare),
	small: lazy(() => stock('small', SMALL_ROWS)),
	large: lazy(() => stock('large', rows)),
};
await clearWork();
console.log(`${await describeSync('at first')}\n\n${tableHead()}`);
for (const [name, measure] of Object.entries(PARTS)) {
	if (!names.includes(name)) continue;
	for (const finding of await measure(bench)) {
		console.log(tableRow(finding));
		if (verdict(finding) === 'MISSED') process.exitCode = 1;
	}
}
console.log(`\n${await describeSync('at last')}`);
