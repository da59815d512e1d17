/** The program beside an earlier build of it, each on a copy of the same large file, which the earlier build has filled. */

import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteUnderLoad } from './deletion.ts';
import { saturate } from './load.ts';
import { BINARY, jsonPost, openProduct, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { type Contestant, compete, type Effort, type Measure, median } from './rounds.ts';
import type { Stock } from './stock.ts';
import { measureView } from './view.ts';

const FORMS = 1000;
const FORM_NAMES = ['Contact', 'Orders', 'Feedback', 'Jobs'];
const LIMIT = 50;
const SUBMIT_CONNECTIONS = 64;
const READ_CONNECTIONS = 16;
const FILL_SECONDS = 10;
const DELETIONS = 3;
const VIEWS = 3;
const INDEXED_WITHIN_MS = 600_000;
/** Nothing may have become dearer than this. */
const BOUNDS = { better: 'lower', must: 1.1, aim: 1 } as const;

type Build = 'after' | 'before';

export async function measureAgainstBefore(before: string, rows: number, effort: Effort): Promise<Finding[]> {
	const filled = await fill(before, rows);
	const binaries: Record<Build, string> = { after: BINARY, before };
	const copy = async (build: Build): Promise<Stock> => {
		await rm(join(WORK, build), { recursive: true, force: true });
		await cp(filled.product.dataDir, join(WORK, build), { recursive: true });
		const product = await openProduct(build, {}, binaries[build]);
		// The first start brings the file up to date, counts what the earlier build did not count, and goes on with the index of the search.
		const server = await product.start();
		await server.untilIdle(INDEXED_WITHIN_MS);
		await server.stop();
		return { ...filled, product };
	};
	const stocks = { after: await copy('after'), before: await copy('before') };
	return [
		...(await compareRequests(stocks, effort)),
		...(await compareViews(stocks)),
		...(await compareDeletions(copy)),
	];
}

/** A form of `rows` short submissions, of which none is spam, beside a thousand that are empty. */
async function fill(binary: string, rows: number): Promise<Stock> {
	const product = await openProduct('filled', {}, binary);
	const server = await product.start();
	const form = await product.createForm(server, 'Stocked', { spam: { threshold: null } });
	for (let i = 1; i < FORMS; i++) await product.createForm(server, `${FORM_NAMES[i % FORM_NAMES.length]} ${i}`);
	const request = jsonPost(`/api/f/${form.slug}`, 'short');
	while (product.stored(form) < rows) {
		const { failed } = await saturate(server, request, { connections: SUBMIT_CONNECTIONS, seconds: FILL_SECONDS });
		if (failed > 0) throw new Error(`${failed} submissions failed while the form was filled.`);
		await server.untilIdle();
	}
	await server.stop();
	return { product, form, rows: product.stored(form) };
}

async function compareRequests(stocks: Record<Build, Stock>, effort: Effort): Promise<Finding[]> {
	const read = (build: Build, path: (stock: Stock) => string): Contestant['open'] => {
		const { product } = stocks[build];
		return async () => ({
			server: await product.start(),
			request: { path: path(stocks[build]), headers: product.authorization },
		});
	};
	const page = (build: Build, offset: (stock: Stock) => number) =>
		read(build, (stock) => `/api/forms/${stock.form.id}/submissions?limit=${LIMIT}&offset=${offset(stock)}`);
	const submit = (build: Build): Contestant['open'] => {
		const { product } = stocks[build];
		return async () => {
			const server = await product.start();
			const { slug } = await product.createForm(server, 'Busy');
			return { server, request: jsonPost(`/api/f/${slug}`) };
		};
	};
	const kinds: { name: string; connections: number; measure: Measure; open: (build: Build) => Contestant['open'] }[] = [
		{
			name: 'a list of 1,000 forms',
			connections: READ_CONNECTIONS,
			measure: 'cpuMicros',
			open: (build) => read(build, () => '/api/forms'),
		},
		{ name: 'first page', connections: READ_CONNECTIONS, measure: 'cpuMicros', open: (build) => page(build, () => 0) },
		{
			name: 'last page',
			connections: READ_CONNECTIONS,
			measure: 'cpuMicros',
			open: (build) => page(build, ({ rows }) => rows - LIMIT),
		},
		// Last, because each turn adds to its file.
		{ name: 'a submission', connections: SUBMIT_CONNECTIONS, measure: 'cpuMicros', open: submit },
	];
	const findings: Finding[] = [];
	for (const { name, connections, measure, open } of kinds) {
		const results = await compete(
			(['after', 'before'] as const).map((build) => ({ name: build, connections, open: open(build) })),
			effort,
		);
		findings.push({
			what: `Processor time of ${name} at ${short(stocks.after.rows)} ÷ the build before`,
			...BOUNDS,
			measured: results.ratio(measure, 'after', 'before'),
			detail: `${short(results.middle('after', measure))} µs ÷ ${short(results.middle('before', measure))} µs; ${short(results.middle('after', 'perSecond'))}/s ÷ ${short(results.middle('before', 'perSecond'))}/s`,
		});
	}
	return findings;
}

async function compareViews(stocks: Record<Build, Stock>): Promise<Finding[]> {
	const times: Record<Build, Finding[][]> = { after: [], before: [] };
	for (let i = 0; i < VIEWS; i++) {
		for (const build of ['after', 'before'] as const) times[build].push(await measureView(stocks[build]));
	}
	return ['a new tab', 'an open tab'].map((where, i) => {
		const middle = (build: Build) => median(times[build].map((findings) => findings[i]?.measured ?? Number.NaN));
		const [after, before] = [middle('after'), middle('before')];
		return {
			what: `First view of the inbox in ${where} ÷ the build before`,
			...BOUNDS,
			measured: after / before,
			detail: `${short(after)} ms ÷ ${short(before)} ms`,
		};
	});
}

async function compareDeletions(copy: (build: Build) => Promise<Stock>): Promise<Finding[]> {
	type Deletion = Awaited<ReturnType<typeof deleteUnderLoad>>;
	const deletions: Record<Build, Deletion[]> = { after: [], before: [] };
	for (let i = 0; i < DELETIONS; i++) {
		for (const build of ['after', 'before'] as const) deletions[build].push(await deleteUnderLoad(await copy(build)));
	}
	const compare = (what: string, value: (deletion: Deletion) => number, unit: string): Finding => {
		const middle = (build: Build) => median(deletions[build].map(value));
		const [after, before] = [middle('after'), middle('before')];
		return {
			what: `${what} ÷ the build before`,
			...BOUNDS,
			measured: after / before,
			detail: `${short(after)} ${unit} ÷ ${short(before)} ${unit}`,
		};
	};
	return [
		compare('99th percentile of submissions while the form is deleted', ({ during }) => during.p99Ms, 'ms'),
		compare('Time until the form is gone', ({ seconds }) => seconds, 's'),
	];
}
