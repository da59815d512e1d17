/** Start time, idle memory and size of the binary. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { saturate } from './load.ts';
import { type Running, start } from './processes.ts';
import { BINARY, jsonPost, openProduct, type Product, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';

const STARTS = 15;
const SETTLE_MS = 2000;

async function startTimes(programs: Record<string, () => Promise<Running>>): Promise<Record<string, number>> {
	const times: Record<string, number[]> = {};
	for (let i = 0; i < STARTS; i++) {
		for (const [name, open] of Object.entries(programs)) {
			const running = await open();
			times[name] = [...(times[name] ?? []), running.startMs];
			await running.stop();
		}
	}
	return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

/** A start with the write-ahead log that a crash under load left. */
async function startsAfterKill(product: Product, path: string): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < 5; i++) {
		const running = await product.start();
		await saturate(running, jsonPost(path), { connections: 16, seconds: 1 });
		await running.stop('SIGKILL');
		const again = await product.start();
		times.push(again.startMs);
		await again.stop();
	}
	return median(times);
}

export async function measureStartup(bare: string, large: Product): Promise<Finding[]> {
	const small = await openProduct('idle');
	const startBare = () => start([bare], { log: join(WORK, 'bare.log') });
	const times = await startTimes({ bare: startBare, empty: small.start, large: large.start });
	const { bare: bareMs = Number.NaN, empty = Number.NaN, large: largeMs = Number.NaN } = times;
	const server = await large.start();
	const { slug } = await large.createForm(server, 'Crash');
	await server.stop();
	const afterKill = await startsAfterKill(large, `/api/f/${slug}`);
	const [own, idle] = await memoryAtRest([await small.start(), await startBare()]);
	const [size, bareSize] = await Promise.all([BINARY, bare].map(async (path) => (await stat(path)).size / 1e6));
	const lower = { better: 'lower' } as const;
	const mebibytes = (value: number) => `${short(value)} MiB`;
	return [
		{
			what: 'Cold start to the first response ÷ bare Bun.serve',
			...{ ...lower, must: 3, aim: 2.1, measured: empty / bareMs },
			detail: `${short(empty)} ms ÷ ${short(bareMs)} ms`,
		},
		{ what: 'Cold start', ...lower, must: 22, aim: 15, measured: empty, unit: ' ms', detail: 'on an existing file' },
		{
			what: 'Cold start on a large file ÷ on an empty one',
			...{ ...lower, must: 1.3, aim: 1.05, measured: largeMs / empty },
			detail: `${short(largeMs)} ms`,
		},
		{
			what: 'Cold start after kill -9 under load ÷ after an orderly end',
			...{ ...lower, must: 2, aim: 1.3, measured: afterKill / largeMs },
			detail: `${short(afterKill)} ms`,
		},
		{
			what: 'Idle memory ÷ bare Bun.serve',
			...{ ...lower, must: 1.8, aim: 1.45, measured: own.rss / idle.rss },
			detail: `${mebibytes(own.rss)} ÷ ${mebibytes(idle.rss)}`,
		},
		{ what: 'Idle memory of its own', ...lower, must: 12, aim: 6, measured: own.anonymous, unit: ' MiB', detail: '' },
		{
			what: 'Size of the binary ÷ bare Bun.serve',
			...{ ...lower, must: 1.08, aim: 1.04, measured: (size ?? 0) / (bareSize ?? 1) },
			detail: `${short(size ?? 0)} MB ÷ ${short(bareSize ?? 0)} MB`,
		},
	];
}

type Memory = Awaited<ReturnType<Running['memory']>>;

async function memoryAtRest(servers: [Running, Running]): Promise<[Memory, Memory]> {
	await Bun.sleep(SETTLE_MS);
	const [own, bare] = servers;
	const memories: [Memory, Memory] = [await own.memory(), await bare.memory()];
	await Promise.all(servers.map((server) => server.stop()));
	return memories;
}
