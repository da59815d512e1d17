/** Submissions: throughput, processor time and latency against the bare baselines, and against its own larger self. */

import { join } from 'node:path';
import { start } from './processes.ts';
import { jsonPost, multipartPost, openProduct, type Product, urlencodedPost, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { compete, type Effort, type Results } from './rounds.ts';

const CONNECTIONS = 64;

const startBare = (bare: string, mode: string) =>
	start([bare, mode, join(WORK, `bare-${mode}.db`)], { log: join(WORK, 'bare.log') });

/** @throws Error if an acknowledged submission is not in the file. */
export async function measureSubmissions(bare: string, effort: Effort): Promise<Finding[]> {
	const product = await openProduct('submit');
	const server = await product.start();
	const [groupFull, json] = await Promise.all([startBare(bare, 'group-full'), startBare(bare, 'json')]);
	const forms = await Promise.all(['JSON', 'Urlencoded', 'Multipart'].map((name) => product.createForm(server, name)));
	const [jsonForm, urlencodedForm, multipartForm] = forms.map(({ slug }) => `/api/f/${slug}`) as [
		string,
		string,
		string,
	];
	const on = { server, connections: CONNECTIONS };
	const results = await compete(
		[
			{ ...on, name: 'formsrv', request: jsonPost(jsonForm) },
			{ ...on, name: 'bare-group-full', server: groupFull, request: jsonPost('/') },
			{ ...on, name: 'bare-json', server: json, request: jsonPost('/') },
			{ ...on, name: 'urlencoded', request: urlencodedPost(urlencodedForm) },
			{ ...on, name: 'multipart', request: multipartPost(multipartForm) },
		],
		effort,
	);
	const names = ['formsrv', 'urlencoded', 'multipart'];
	for (const [i, form] of forms.entries()) checkStored(product, form, results[`${names[i]}`]);
	await Promise.all([server.stop(), groupFull.stop(), json.stop()]);
	return submissionFindings(results);
}

/** What was in flight when a round ended may be stored without having been counted, and nothing else. */
function checkStored(product: Product, form: { id: string; slug: string }, result: Results[string] | undefined): void {
	const stored = product.stored(form);
	const { good, rounds } = result ?? { good: Number.NaN, rounds: 0 };
	const isRight = stored >= good && stored <= good + rounds * CONNECTIONS;
	if (!isRight) throw new Error(`${good} submissions to ${form.slug} were acknowledged, ${stored} are stored.`);
}

function submissionFindings(results: Results): Finding[] {
	const of = (name: string) => results[name] as Results[string];
	const [own, bare, json] = [of('formsrv'), of('bare-group-full'), of('bare-json')];
	const rate = (name: string) => `${short(of(name).perSecond)}/s`;
	const lower = { better: 'lower' } as const;
	const higher = { better: 'higher' } as const;
	return [
		{
			what: 'Durable submissions per second ÷ bare group commit',
			...{ ...higher, must: 0.75, aim: 0.85, measured: own.perSecond / bare.perSecond },
			detail: `${rate('formsrv')} ÷ ${rate('bare-group-full')}`,
		},
		{
			what: 'Processor time per submission ÷ bare group commit',
			...{ ...lower, must: 1.35, aim: 1.2, measured: own.cpuMicros / bare.cpuMicros },
			detail: `${short(own.cpuMicros)} µs ÷ ${short(bare.cpuMicros)} µs`,
		},
		{
			what: 'Submissions per second ÷ bare HTTP with JSON, nothing stored',
			...{ ...higher, must: 0.35, aim: 0.43, measured: own.perSecond / json.perSecond },
			detail: `${rate('formsrv')} ÷ ${rate('bare-json')}`,
		},
		{
			what: 'Urlencoded ÷ JSON submissions per second',
			...{ ...higher, must: 0.8, aim: 0.86, measured: of('urlencoded').perSecond / own.perSecond },
			detail: rate('urlencoded'),
		},
		{
			what: 'Multipart ÷ JSON submissions per second',
			...{ ...higher, must: 0.72, aim: 0.8, measured: of('multipart').perSecond / own.perSecond },
			detail: rate('multipart'),
		},
		{
			what: 'Median latency ÷ bare group commit',
			...{ ...lower, must: 1.35, aim: 1.15, measured: own.p50Ms / bare.p50Ms },
			detail: `${short(own.p50Ms)} ms ÷ ${short(bare.p50Ms)} ms`,
		},
		{
			what: '99th percentile of latency ÷ bare group commit',
			...{ ...lower, must: 1.5, aim: 1.2, measured: own.p99Ms / bare.p99Ms },
			detail: `${short(own.p99Ms)} ms ÷ ${short(bare.p99Ms)} ms`,
		},
	];
}

/** The same program on an empty and on a large file, in turns. */
export async function measureGrowth(large: Product, effort: Effort): Promise<Finding[]> {
	const empty = await openProduct('empty');
	const [atZero, atMany] = await Promise.all([empty.start(), large.start()]);
	const [small, big] = await Promise.all([empty.createForm(atZero, 'Small'), large.createForm(atMany, 'Big')]);
	const results = await compete(
		[
			{ name: 'empty', server: atZero, request: jsonPost(`/api/f/${small.slug}`), connections: CONNECTIONS },
			{ name: 'large', server: atMany, request: jsonPost(`/api/f/${big.slug}`), connections: CONNECTIONS },
		],
		effort,
	);
	await Promise.all([atZero.stop(), atMany.stop()]);
	const [none, many] = [results.empty, results.large] as [Results[string], Results[string]];
	return [
		{
			what: 'Submissions per second on a large file ÷ on an empty one',
			...{ better: 'higher', must: 0.9, aim: 1, measured: many.perSecond / none.perSecond },
			detail: `${short(many.perSecond)}/s ÷ ${short(none.perSecond)}/s`,
		},
	];
}
