/** An export of a large form: its memory, from the server and by the command, and the latency of submissions meanwhile. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HttpRequest, sendAtRate } from './load.ts';
import { memory, type Running } from './processes.ts';
import { BINARY, jsonPost } from './product.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';
import type { Stock } from './stock.ts';

const PER_SECOND = 1000;
const ROUNDS = 3;
const QUIET_MS = 5000;
const LOOK_EVERY_MS = 100;
const FORMATS = ['csv', 'xlsx'];
/** A time before all submissions, and one behind them. */
const [ALL, NONE] = ['1970-01-01', '2100-01-01'];

export async function measureExport({ product, form, rows }: Stock): Promise<Finding[]> {
	const server = await product.start();
	const { slug } = await product.createForm(server, 'Bystander');
	const load = (until: Promise<unknown>) =>
		sendAtRate(server, jsonPost(`/api/f/${slug}`), { perSecond: PER_SECOND, until });
	const path = `/api/forms/${form.id}/export?format=csv`;

	async function oneRound() {
		const quiet = await load(Bun.sleep(QUIET_MS));
		const before = (await server.memory()).rss;
		const download = readAll(server, { path, headers: product.authorization });
		const during = await load(download);
		if (during.failed > 0) throw new Error(`${during.failed} submissions failed during the export.`);
		const { bytes, seconds, peak } = await download;
		return { quiet, during, bytes, seconds, grown: peak - before };
	}

	await load(Bun.sleep(1000));
	const rounds: Awaited<ReturnType<typeof oneRound>>[] = [];
	for (let i = 0; i < ROUNDS; i++) rounds.push(await oneRound());
	const alone = await measureAlone(server, { product, form, rows });
	await server.stop();
	const middle = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of));
	const [quietP50, duringP50] = [middle(({ quiet }) => quiet.p50Ms), middle(({ during }) => during.p50Ms)];
	const [quietP99, duringP99] = [middle(({ quiet }) => quiet.p99Ms), middle(({ during }) => during.p99Ms)];
	const lower = { better: 'lower' } as const;
	return [
		{
			what: `Memory of an export of ${short(rows)} submissions`,
			...{ ...lower, must: 100, aim: 60, measured: middle(({ grown }) => grown), unit: ' MiB' },
			detail: `${short(middle(({ bytes }) => bytes) / 1e6)} MB in ${short(middle(({ seconds }) => seconds))} s`,
		},
		{
			what: `Median latency of submissions at ${PER_SECOND}/s beside it ÷ without`,
			...{ ...lower, must: 2, aim: 1.3, measured: duringP50 / quietP50 },
			detail: `${short(duringP50)} ms ÷ ${short(quietP50)} ms`,
		},
		{
			what: `99th percentile of submissions at ${PER_SECOND}/s beside it ÷ without`,
			...{ ...lower, must: 2, aim: 1.3, measured: duringP99 / quietP99 },
			detail: `${short(duringP99)} ms ÷ ${short(quietP99)} ms`,
		},
		...alone,
	];
}

/** Anonymous memory of each format with nothing beside it: of the server above idle, of the command above that of an export of nothing. */
async function measureAlone(server: Running, { product, form, rows }: Stock): Promise<Finding[]> {
	const findings: Finding[] = [];
	for (const format of FORMATS) {
		await server.untilIdle();
		const before = (await server.memory()).anonymous;
		const path = `/api/forms/${form.id}/export?format=${format}`;
		const far = await readAll(server, { path, headers: product.authorization });
		const [nothing, near] = [
			await runExport({ product, form }, format, NONE),
			await runExport({ product, form }, format, ALL),
		];
		const target = { better: 'lower', must: 100, aim: 60, unit: ' MiB' } as const;
		const detail = (bytes: number, seconds: number) => `${short(bytes / 1e6)} MB in ${short(seconds)} s`;
		findings.push(
			{
				what: `Anonymous memory of the server for ${short(rows)} as ${format}`,
				...{ ...target, measured: far.anonymous - before },
				detail: detail(far.bytes, far.seconds),
			},
			{
				what: `The same of the command`,
				...{ ...target, measured: near.anonymous - nothing.anonymous },
				detail: detail(near.bytes, near.seconds),
			},
		);
	}
	return findings;
}

/** Exports with the command to a file, which is removed. */
async function runExport({ product, form }: Pick<Stock, 'product' | 'form'>, format: string, since: string) {
	const began = performance.now();
	const file = join(product.dataDir, `export.${format}`);
	const args = ['submissions', 'export', form.id, '--format', format, '--since', since, '-o', file];
	const child = Bun.spawn([BINARY, ...args], { env: product.env, stdout: 'ignore', stderr: 'ignore' });
	let anonymous = 0;
	const watch = setInterval(() => {
		// It may have ended.
		void memory(child.pid).then(
			(now) => {
				anonymous = Math.max(anonymous, now.anonymous || 0);
			},
			() => {},
		);
	}, LOOK_EVERY_MS / 4);
	const code = await child.exited;
	clearInterval(watch);
	if (code !== 0) throw new Error(`The export ended with ${code}.`);
	const bytes = Bun.file(file).size;
	await rm(file);
	return { bytes, anonymous, seconds: (performance.now() - began) / 1000 };
}

/** Another process reads the response and discards it, since this one times submissions; records the server's memory. */
async function readAll(server: Running, { path, headers = {} }: HttpRequest) {
	const began = performance.now();
	let peak = 0;
	let anonymous = 0;
	const watch = setInterval(() => {
		void server.memory().then((now) => {
			peak = Math.max(peak, now.rss);
			anonymous = Math.max(anonymous, now.anonymous);
		});
	}, LOOK_EVERY_MS);
	try {
		const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
		const command = ['curl', '-sf', '-o', '/dev/null', '-w', '%{size_download}', ...lines, server.url + path];
		const bytes = Number(await Bun.$`${command}`.text());
		return { bytes, seconds: (performance.now() - began) / 1000, peak, anonymous };
	} finally {
		clearInterval(watch);
	}
}
