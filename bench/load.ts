/** Load generators: as fast as the server responds (wrk), or at a fixed rate (own). */

import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Running, runFolder } from './processes.ts';

export interface HttpRequest {
	path: string;
	method?: string;
	headers?: Record<string, string>;
	/** Sent in turn. */
	bodies?: readonly string[];
}

export interface LoadResult {
	/** Responses with a status of 2xx or 3xx. */
	good: number;
	failed: number;
	perSecond: number;
	p50Ms: number;
	p99Ms: number;
	/** Processor time of the server for one request, in microseconds. */
	cpuMicros: number;
}

/** A server that syncs every submission separately on a slow disk delays some for seconds. */
const PATIENCE = '10s';
const SCRIPT = join(import.meta.dir, 'wrk.lua');

/** How many of the bodies were sent so far: the next load goes on behind them. */
const sent = new WeakMap<readonly string[], number>();
const countSent = (bodies: readonly string[], count: number) => sent.set(bodies, (sent.get(bodies) ?? 0) + count);
/** Files of bodies for the load generator. */
const files = new WeakMap<readonly string[], string>();

/** Keeps `connections` busy for `seconds`. */
export async function saturate(
	server: Running,
	request: HttpRequest,
	{ connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
	const { path, method = 'GET', headers = {}, bodies } = request;
	const before = await server.cpuSeconds();
	const wrk = Bun.spawn(
		['wrk', '-t1', '--timeout', PATIENCE, `-c${connections}`, `-d${seconds}s`, '-s', SCRIPT, server.url + path],
		{
			env: {
				...process.env,
				WRK_METHOD: method,
				...(bodies && { WRK_BODIES: await fileOf(bodies), WRK_SENT: String(sent.get(bodies) ?? 0) }),
				WRK_HEADERS: Object.entries(headers)
					.map(([name, value]) => `${name}: ${value}`)
					.join('\n'),
			},
			stdout: 'pipe',
			stderr: 'pipe',
		},
	);
	const output = await text(wrk.stdout);
	const line = /^result (.*)$/m.exec(output)?.[1];
	if (!line) throw new Error(`wrk said: ${output}${await text(wrk.stderr)}`);
	const { requests, errors, micros, p50, p99 } = JSON.parse(line) as Record<string, number>;
	const cpu = (await server.cpuSeconds()) - before;
	const good = Number(requests) - Number(errors);
	if (bodies) countSent(bodies, Number(requests) + connections);
	return {
		good,
		failed: Number(errors),
		perSecond: good / (Number(micros) / 1e6),
		p50Ms: Number(p50) / 1e3,
		p99Ms: Number(p99) / 1e3,
		cpuMicros: (cpu * 1e6) / Math.max(1, good),
	};
}

/** Each body behind its number of bytes. */
async function fileOf(bodies: readonly string[]): Promise<string> {
	const known = files.get(bodies);
	if (known !== undefined) return known;
	const file = join(runFolder(), `bodies-${Bun.randomUUIDv7()}`);
	await Bun.write(file, bodies.map((body) => `${Buffer.byteLength(body)}\n${body}`).join(''));
	files.set(bodies, file);
	return file;
}

/** Sends at a fixed rate; a late response delays no later request, so that a stall shows in full. */
export async function sendAtRate(
	server: Running,
	{ path, bodies = [], ...init }: HttpRequest,
	{ perSecond, until }: { perSecond: number; until: Promise<unknown> },
): Promise<{ p50Ms: number; p99Ms: number; failed: number }> {
	let isOver = false;
	void until.finally(() => {
		isOver = true;
	});
	const times: number[] = [];
	const pending: Promise<void>[] = [];
	let failed = 0;
	const first = sent.get(bodies) ?? 0;
	const began = performance.now();
	while (!isOver) {
		const due = began + (pending.length * 1000) / perSecond;
		if (performance.now() < due) {
			await Bun.sleep(1);
			continue;
		}
		pending.push(
			fetch(server.url + path, { ...init, body: bodies[(first + pending.length) % bodies.length] })
				.then(async (response) => {
					await response.bytes();
					if (response.status >= 400) failed++;
					times.push(performance.now() - due);
				})
				.catch(() => {
					failed++;
				}),
		);
	}
	await Promise.all(pending);
	countSent(bodies, pending.length);
	times.sort((a, b) => a - b);
	const quantile = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))] ?? Number.NaN;
	return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), failed };
}
