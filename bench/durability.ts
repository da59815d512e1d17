/** Durability of acknowledged submissions: kill -9 under load, and the order of fsync and response. */

import { join } from 'node:path';
import { start } from './processes.ts';
import { BINARY, jsonPost, openProduct, WORK } from './product.ts';
import type { Finding } from './report.ts';

const CYCLES = 20;
const SENDERS = 32;
const LOAD_MS = 300;
const TRACED = 50;

/** Sends numbered submissions and records the acknowledged ones, until the server is killed. */
async function sendUntilDeath(url: string, { acknowledged, from }: { acknowledged: Set<number>; from: number }) {
	const { headers } = jsonPost('');
	let next = from;
	const sender = async () => {
		for (;;) {
			const number = next++;
			const body = JSON.stringify({ number });
			const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
			if (!response) return;
			if (response.status === 200) acknowledged.add(number);
		}
	};
	await Promise.all(Array.from({ length: SENDERS }, sender));
	return next;
}

export async function measureDurability(): Promise<Finding[]> {
	const product = await openProduct('durability');
	const first = await product.start();
	const form = await product.createForm(first, 'Durable');
	await first.stop();
	const acknowledged = new Set<number>();
	let next = 0;
	for (let cycle = 0; cycle < CYCLES; cycle++) {
		const server = await product.start();
		const sending = sendUntilDeath(`${server.url}/api/f/${form.slug}`, { acknowledged, from: next });
		await Bun.sleep(LOAD_MS);
		await server.stop('SIGKILL');
		next = await sending;
	}
	const kept = new Set(product.values(form, 'number'));
	const lost = [...acknowledged].filter((number) => !kept.has(number));
	const early = await acknowledgedBeforeSync();
	const never = { must: 0, aim: 0, better: 'lower' } as const;
	return [
		{
			what: 'Acknowledged and lost after kill -9 under load',
			...{ ...never, measured: lost.length },
			detail: `${CYCLES} kills, ${acknowledged.size} acknowledged`,
		},
		{ what: 'Responses sent before their fsync', ...never, measured: early, detail: `${TRACED} responses traced` },
	];
}

/** One submission at a time under strace: an fsync must come between two responses. */
async function acknowledgedBeforeSync(): Promise<number> {
	const product = await openProduct('traced');
	const trace = join(WORK, 'trace.txt');
	const calls = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg';
	const env = { FORMSRV_DATA_DIR: product.dataDir };
	const traced = await start(['strace', '-D', '-f', '-qq', '-s', '64', '-e', calls, '-o', trace, BINARY, 'serve'], {
		env,
		log: join(WORK, 'traced.log'),
	});
	const { slug } = await product.createForm(traced, 'Traced');
	const { path, bodies = [], ...init } = jsonPost(`/api/f/${slug}`);
	for (const body of bodies.slice(0, TRACED)) await (await fetch(traced.url + path, { ...init, body })).bytes();
	await traced.stop();
	const lines = (await Bun.file(trace).text()).split('\n');
	let isSynced = false;
	let responses = 0;
	let early = 0;
	const created = lines.findIndex((line) => line.includes('"HTTP/1.1 201 Created'));
	for (const line of lines.slice(created + 1)) {
		if (/\bf(?:data)?sync\(/.test(line) || /<\.\.\. f(?:data)?sync resumed/.test(line)) isSynced = true;
		if (!/\b(?:write|writev|sendto|sendmsg)\(.*"HTTP\/1\.1 200 OK/.test(line)) continue;
		responses++;
		if (!isSynced) early++;
		isSynced = false;
	}
	if (responses < TRACED) throw new Error(`Only ${responses} of ${TRACED} responses are in the trace.`);
	return early;
}
