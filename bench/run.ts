/** `bun run bench`: measures the compiled program against bare baselines, in turns, and compares with the targets. */

import { parseArgs } from 'node:util';
import { measureDeletion } from './deletion.ts';
import { describeSync } from './disk.ts';
import { measureDurability } from './durability.ts';
import { measureExport } from './export.ts';
import { measureFiles } from './files.ts';
import { handwrittenFolder, measureAgainstHandwritten } from './handwritten.ts';
import { measureIndex } from './index.ts';
import { measureLists, type Stock } from './list.ts';
import { measureMail } from './mail.ts';
import { measureAgainstPeer, peerBinary } from './peer.ts';
import { clearWork, openProduct, ROOT, WORK } from './product.ts';
import { type Finding, toMarkdown, verdict } from './report.ts';
import type { Effort } from './rounds.ts';
import { measureStartup } from './startup.ts';
import { measureConnections, measureGrowth, measureSubmissions } from './submit.ts';
import { measureView } from './view.ts';

const SMALL_ROWS = 1000;
const PEER_ROWS = 100_000;
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
] as const;

/** Measurements that need no preparation. */
async function measureAlone(parts: Set<string>): Promise<Finding[]> {
	const findings: Finding[] = [];
	if (parts.has('index')) findings.push(...(await measureIndex()));
	if (parts.has('durability')) findings.push(...(await measureDurability()));
	if (parts.has('files')) findings.push(...(await measureFiles()));
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

/** An instance with one form of `rows` submissions. */
async function stock(name: string, rows: number): Promise<Stock> {
	const product = await openProduct(name);
	const server = await product.start();
	const form = await product.createForm(server, 'Stocked');
	await server.stop();
	await Bun.$`bun ${ROOT}/bench/seed.ts --file ${product.file} --form ${form.id} --rows ${rows}`.quiet();
	return { product, form, rows };
}

interface Plan {
	rows: number;
	effort: Effort;
	/** An earlier build to compare with. */
	before: string | undefined;
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
		if (parts.has('list')) findings.push(...(await measureLists(small, large, short)));
		if (parts.has('view')) findings.push(...(await measureView(large)));
		if (parts.has('export')) findings.push(...(await measureExport(large)));
		if (parts.has('growth')) findings.push(...(await measureGrowth(large.product, effort)));
		if (parts.has('startup')) findings.push(...(await measureStartup(bare, large.product)));
		if (parts.has('deletion')) findings.push(...(await measureDeletion(large)));
	}
	findings.push(...(await measureAlone(parts)));
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
