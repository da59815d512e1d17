/** `bun run bench`: measures the compiled program against bare baselines, in turns, and compares with the targets. */

import { parseArgs } from 'node:util';
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
import { type Finding, toMarkdown, verdict } from './report.ts';
import type { Effort } from './rounds.ts';
import { measureStartup } from './startup.ts';
import { stock } from './stock.ts';
import { measureConnections, measureGrowth, measureSubmissions } from './submit.ts';
import { measureView } from './view.ts';

const SMALL_ROWS = 1000;
const PEER_ROWS = 100_000;
const LIST_BOUNDS = { first: { must: 1.15, aim: 1.06 }, other: { must: 3, aim: 2 } } as const;
const PARTS = [
	'submit',
	'connections',
	'list',
	'growth',
	'startup',
	'deletion',
	'durability',
	'files',
	'mail',
	'view',
	'export',
	'index',
	'peer',
	'handwritten',
	'postgres',
	'postgres-reads',
] as const;

interface Plan {
	rows: number;
	effort: Effort;
	/** An earlier build to compare with. */
	before: string | undefined;
}

/** Measurements that need no preparation. */
async function measureAlone(parts: Set<string>, { rows, effort }: Pick<Plan, 'rows' | 'effort'>): Promise<Finding[]> {
	const findings: Finding[] = [];
	if (parts.has('index')) findings.push(...(await measureIndex()));
	if (parts.has('durability')) findings.push(...(await measureDurability()));
	if (parts.has('files')) findings.push(...(await measureFiles()));
	if (parts.has('postgres')) findings.push(...(await measurePostgres(effort)));
	if (parts.has('postgres-reads')) findings.push(...(await measurePostgresReads(rows, effort.rounds)));
	return findings;
}

/** A bare Bun.serve, compiled like the program. */
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

async function measure(parts: Set<string>, { rows, effort, before }: Plan): Promise<Finding[]> {
	const bare = await buildBare();
	const findings: Finding[] = [];
	const needsLarge = ['list', 'view', 'export', 'growth', 'startup', 'deletion'].some((part) => parts.has(part));
	if (parts.has('submit')) findings.push(...(await measureSubmissions({ bare, before }, effort)));
	if (parts.has('connections')) findings.push(...(await measureConnections({ bare, before }, effort)));
	if (needsLarge) {
		const [small, large] = [await stock('small', SMALL_ROWS), await stock('large', rows)];
		const short = { ...effort, seconds: Math.min(2, effort.seconds) };
		if (parts.has('list')) findings.push(...(await measureLists(small, large, { ...short, ...LIST_BOUNDS })));
		if (parts.has('view')) findings.push(...(await measureView(large)));
		if (parts.has('export')) findings.push(...(await measureExport(large)));
		if (parts.has('growth')) findings.push(...(await measureGrowth(large.product, effort)));
		if (parts.has('startup')) findings.push(...(await measureStartup(bare, large.product)));
		if (parts.has('deletion')) findings.push(...(await measureDeletion(large)));
	}
	findings.push(...(await measureAlone(parts, { rows, effort })));
	if (parts.has('mail')) findings.push(...(await measureMail(effort)));
	const peer = parts.has('peer') ? peerBinary() : null;
	if (peer) findings.push(...(await measureAgainstPeer(peer, { stock: await stock('peer', PEER_ROWS), effort })));
	const folder = parts.has('handwritten') ? handwrittenFolder() : null;
	if (folder) findings.push(...(await measureAgainstHandwritten(folder, effort)));
	return findings;
}

const { values } = parseArgs({
	options: {
		only: { type: 'string', default: PARTS.join() },
		rows: { type: 'string', default: '1000000' },
		rounds: { type: 'string', default: '5' },
		seconds: { type: 'string', default: '3' },
		before: { type: 'string' },
	},
});
await clearWork();
const disk = [await describeSync('at first')];
const findings = await measure(new Set(values.only.split(',')), {
	rows: Number(values.rows),
	effort: { rounds: Number(values.rounds), seconds: Number(values.seconds) },
	before: values.before,
});
disk.push(await describeSync('at last'));
const report = `${disk.join('\n')}\n\n${toMarkdown(findings)}`;
await Bun.write(`${WORK}/results.md`, `${report}\n`);
console.log(report);
process.exitCode = findings.some((finding) => verdict(finding) === 'MISSED') ? 1 : 0;
