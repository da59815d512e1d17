/** Submissions: throughput, processor time and latency against the baselines, an earlier build, and a large file. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpRequest } from './load.ts';
import { KINDS } from './mix.ts';
import { start } from './processes.ts';
import {
	BINARY,
	type Form,
	jsonPost,
	multipartPost,
	openProduct,
	type Product,
	urlencodedPost,
	WORK,
} from './product.ts';
import { type Finding, short } from './report.ts';
import { type Contestant, compete, type Effort, type Entrant, type Measure, type Results } from './rounds.ts';

const CONNECTIONS = 64;
const MANY_CONNECTIONS = 256;

export interface Programs {
	/** The baselines, compiled like the program. */
	bare: string;
	/** An earlier build to compare with, if any. */
	before: string | undefined;
}

type Post = (path: string) => HttpRequest;

/** The program on an empty file, which must contain every acknowledged submission in the end. */
async function openEmpty(post: Post, binary = BINARY): Promise<Entrant> {
	const name = 'submit';
	await rm(join(WORK, name), { recursive: true, force: true });
	const product = await openProduct(name, {}, binary);
	const server = await product.start();
	const form = await product.createForm(server, 'Contact');
	return { server, request: post(`/api/f/${form.slug}`), check: (counts) => checkStored(product, form, counts) };
}

async function openBare(bare: string, mode: 'group-full' | 'json', post: Post = jsonPost): Promise<Entrant> {
	const file = join(WORK, 'bare.db');
	await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(file + suffix, { force: true })));
	return { server: await start([bare, mode, file], { log: join(WORK, 'bare.log') }), request: post('/') };
}

/** Requests in flight at the end of the load may be stored without being counted; no others. */
function checkStored(product: Product, form: Form, { good, inFlight }: { good: number; inFlight: number }): void {
	const stored = product.stored(form);
	const isRight = stored >= good && stored <= good + inFlight;
	if (!isRight) throw new Error(`${good} submissions to ${form.slug} were acknowledged, ${stored} are stored.`);
}

/** @throws Error if an acknowledged submission is not in the file. */
export async function measureSubmissions({ bare, before }: Programs, effort: Effort): Promise<Finding[]> {
	const contestant = (name: string, open: () => Promise<Entrant>) => ({ name, open, connections: CONNECTIONS });
	const contestants = [
		contestant('formsrv', () => openEmpty(jsonPost)),
		contestant('bare-group-full', () => openBare(bare, 'group-full')),
		contestant('bare-json', () => openBare(bare, 'json')),
		contestant('urlencoded', () => openEmpty(urlencodedPost)),
		contestant('multipart', () => openEmpty(multipartPost)),
	];
	if (before) contestants.push(contestant('before', () => openEmpty(jsonPost, before)));
	const results = await compete(contestants, effort);
	const against = (other: string) => comparison(results, ['formsrv', other]);
	const perSecond = 'Durable submissions per second';
	const findings = [
		against('bare-group-full')('perSecond', `${perSecond} ÷ bare group commit`, { must: 0.65, aim: 0.75 }),
		against('bare-group-full')('cpuMicros', 'Processor time per submission ÷ bare group commit', {
			must: 1.9,
			aim: 1.6,
		}),
		against('bare-group-full')('p50Ms', 'Median latency ÷ bare group commit', { must: 1.25, aim: 1.15 }),
		against('bare-group-full')('p99Ms', '99th percentile of latency ÷ bare group commit', { must: 1.3, aim: 1.2 }),
		against('bare-json')('perSecond', 'Submissions per second ÷ bare HTTP with JSON, nothing stored', {
			must: 0.35,
			aim: 0.43,
		}),
		comparison(results, ['urlencoded', 'formsrv'])('perSecond', 'Urlencoded ÷ JSON', { must: 0.86, aim: 0.9 }),
		comparison(results, ['multipart', 'formsrv'])('perSecond', 'Multipart ÷ JSON', { must: 0.72, aim: 0.8 }),
	];
	if (!before) return findings;
	return [
		...findings,
		against('before')('perSecond', `${perSecond} ÷ the build before`, { must: 0.97, aim: 1.3 }),
		against('before')('cpuMicros', 'Processor time per submission ÷ the build before', { must: 1.03, aim: 0.77 }),
	];
}

/** Each kind of the mix by itself. */
export async function measureKinds({ bare }: Programs, effort: Effort): Promise<Finding[]> {
	const findings: Finding[] = [];
	for (const kind of KINDS) {
		const post: Post = (path) => jsonPost(path, kind);
		const results = await compete(
			[
				{ name: kind, open: () => openEmpty(post), connections: CONNECTIONS },
				{ name: `bare ${kind}`, open: () => openBare(bare, 'group-full', post), connections: CONNECTIONS },
			],
			effort,
		);
		const against = comparison(results, [kind, `bare ${kind}`]);
		findings.push(
			against('perSecond', `Kind “${kind}”: submissions per second ÷ bare group commit`, { must: 0.5, aim: 0.75 }),
			against('cpuMicros', `Kind “${kind}”: processor time ÷ bare group commit`, { must: 2.5, aim: 1.6 }),
		);
	}
	return findings;
}

/** With many connections, and with one that waits for each response. */
export async function measureConnections({ bare, before }: Programs, effort: Effort): Promise<Finding[]> {
	const of = (connections: number): Contestant[] => [
		{ name: `formsrv ${connections}`, open: () => openEmpty(jsonPost), connections },
		{ name: `bare ${connections}`, open: () => openBare(bare, 'group-full'), connections },
		...(before ? [{ name: `before ${connections}`, open: () => openEmpty(jsonPost, before), connections }] : []),
	];
	const results = await compete([...of(MANY_CONNECTIONS), ...of(1)], effort);
	const pair = (other: string, connections: number) =>
		comparison(results, [`formsrv ${connections}`, `${other} ${connections}`]);
	const at = `of ${MANY_CONNECTIONS} connections`;
	const findings = [
		pair('bare', MANY_CONNECTIONS)('perSecond', `Durable submissions per second ${at} ÷ bare`, { must: 0.6, aim: 0.8 }),
		pair('bare', 1)('p50Ms', 'Median latency of one connection ÷ bare', { must: 1.5, aim: 1.25 }),
	];
	if (!before) return findings;
	return [
		...findings,
		pair('before', MANY_CONNECTIONS)('perSecond', `Durable submissions per second ${at} ÷ the build before`, {
			must: 0.97,
			aim: 1.2,
		}),
		pair('before', 1)('p50Ms', 'Median latency of one connection ÷ the build before', { must: 1.03, aim: 1 }),
	];
}

const UNITS: Record<Measure, { better: 'higher' | 'lower'; unit: string }> = {
	perSecond: { better: 'higher', unit: '/s' },
	cpuMicros: { better: 'lower', unit: ' µs' },
	p50Ms: { better: 'lower', unit: ' ms' },
	p99Ms: { better: 'lower', unit: ' ms' },
	rssMiB: { better: 'lower', unit: ' MiB' },
};

/** Findings about two contestants. */
function comparison(results: Results, [a, b]: [string, string]) {
	return (measure: Measure, what: string, bounds: { must: number; aim: number }): Finding => {
		const { better, unit } = UNITS[measure];
		const figure = (name: string) => `${short(results.middle(name, measure))}${unit}`;
		const measured = results.ratio(measure, a, b);
		return { what, ...bounds, better, measured, detail: `${figure(a)} ÷ ${figure(b)}` };
	};
}

/** The program on an empty and on a large file, in turns. */
export async function measureGrowth(large: Product, effort: Effort): Promise<Finding[]> {
	async function openLarge(): Promise<Entrant> {
		const server = await large.start();
		const form = await large.createForm(server, 'Big');
		return { server, request: jsonPost(`/api/f/${form.slug}`) };
	}
	const results = await compete(
		[
			{ name: 'empty', open: () => openEmpty(jsonPost), connections: CONNECTIONS },
			{ name: 'large', open: openLarge, connections: CONNECTIONS },
		],
		effort,
	);
	const bounds = { must: 0.9, aim: 1 };
	return [
		comparison(results, ['large', 'empty'])(
			'perSecond',
			'Submissions per second on a large file ÷ on an empty one',
			bounds,
		),
	];
}
