/** Attached files: what a large one costs, and what many slow ones do to memory and to submissions beside them. */

import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Running } from './processes.ts';
import { jsonPost, openProduct, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';

const MIB = 1024 * 1024;
const LARGE_BYTES = 20 * MIB;
/** Until the engine has compiled the hot code. */
const WARM_UPLOADS = { small: 400, large: 60 };
const ROUNDS = 9;
/** The clock of processor time moves in steps of 10 ms. */
const UPLOADS_A_ROUND = 10;
const SLOW_UPLOADS = 200;
const SLOW_ROUNDS = 5;
const SLOW_BYTES = 2 * MIB;
const STEPS = 40;
const STEP_MS = 250;
const TEXTS = 400;
const PIECE_BYTES = 64 * 1024;

const HEAD = '--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.bin"\r\n\r\n';
const TAIL = '\r\n--b--\r\n';

/** Seconds of processor time to copy a file to a new one on disk and to hash it, as simply as this runtime can. */
function copyAndHash(source: string, target: string): number {
	rmSync(target, { force: true });
	const before = process.cpuUsage();
	const [from, to] = [openSync(source, 'r'), openSync(target, 'wx')];
	const hasher = new Bun.CryptoHasher('sha256');
	const piece = new Uint8Array(PIECE_BYTES);
	for (let bytes = readSync(from, piece); bytes > 0; bytes = readSync(from, piece)) {
		hasher.update(piece.subarray(0, bytes));
		writeSync(to, piece, 0, bytes);
	}
	hasher.digest();
	fsyncSync(to);
	closeSync(from);
	closeSync(to);
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1e6;
}

async function upload(url: string, file: string): Promise<void> {
	const data = new FormData();
	data.append('cv', Bun.file(file));
	const response = await fetch(url, { method: 'POST', body: data, headers: { Accept: 'application/json' } });
	if (response.status !== 200) throw new Error(`An upload: ${response.status} ${await response.text()}`);
}

async function measureCost(server: Running, url: string): Promise<Finding> {
	const source = join(WORK, 'large.bin');
	const bytes = new Uint8Array(LARGE_BYTES);
	for (let at = 0; at < LARGE_BYTES; at += PIECE_BYTES) crypto.getRandomValues(bytes.subarray(at, at + PIECE_BYTES));
	await Bun.write(source, bytes);
	const small = join(WORK, 'small.bin');
	await Bun.write(small, bytes.subarray(0, PIECE_BYTES));
	for (let i = 0; i < WARM_UPLOADS.small; i++) await upload(url, small);
	for (let i = 0; i < WARM_UPLOADS.large; i++) await upload(url, source);
	const bare: number[] = [];
	const ours: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const before = await server.cpuSeconds();
		for (let i = 0; i < UPLOADS_A_ROUND; i++) await upload(url, source);
		ours.push(((await server.cpuSeconds()) - before) / UPLOADS_A_ROUND);
		for (let i = 0; i < UPLOADS_A_ROUND; i++) bare.push(copyAndHash(source, join(WORK, 'copy.bin')));
	}
	return {
		what: 'Processor time of a file of 20 MiB ÷ copying and hashing it',
		...{ better: 'lower', must: 1.5, aim: 1.3, measured: median(ours) / median(bare) },
		detail: `${short(median(ours) * 1000)} and ${short(median(bare) * 1000)} ms`,
	};
}

/** Sends a file in small steps; resolves with the first line of the response. */
async function uploadSlowly(url: string, afterMs: number): Promise<string> {
	await Bun.sleep(afterMs);
	const { hostname, port, pathname } = new URL(url);
	const ended = Promise.withResolvers<string>();
	const socket = await Bun.connect({
		hostname,
		port: Number(port),
		socket: {
			data: (_, data) => ended.resolve(data.toString().split('\r\n')[0] as string),
			close: () => ended.resolve('closed'),
		},
	});
	const length = HEAD.length + SLOW_BYTES + TAIL.length;
	socket.write(
		`POST ${pathname} HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
			`Content-Length: ${length}\r\n\r\n${HEAD}`,
	);
	const piece = new Uint8Array(Math.ceil(SLOW_BYTES / STEPS)).fill(120);
	for (let sent = 0; sent < SLOW_BYTES; sent += piece.length) {
		const step = piece.subarray(0, Math.min(piece.length, SLOW_BYTES - sent));
		for (let at = 0; at < step.length; ) {
			at += Math.max(0, socket.write(step.subarray(at)));
			if (at < step.length) await Bun.sleep(1);
		}
		await Bun.sleep(STEP_MS);
	}
	socket.write(TAIL);
	const status = await ended.promise;
	socket.end();
	return status;
}

/** The time in milliseconds that all but one in a hundred submissions stay below, one after the other. */
async function slowestOfTexts(url: string): Promise<number> {
	const { method, headers, bodies = [] } = jsonPost('');
	const times: number[] = [];
	for (const body of bodies.slice(0, TEXTS)) {
		const began = performance.now();
		const response = await fetch(url, { method, headers, body });
		await response.bytes();
		times.push(performance.now() - began);
		await Bun.sleep((STEPS * STEP_MS) / TEXTS / 2);
	}
	return times.toSorted((a, b) => a - b)[Math.floor(0.99 * TEXTS)] as number;
}

async function measureSlow(server: Running, { files, texts }: { files: string; texts: string }): Promise<Finding[]> {
	const { rss: before } = await server.memory();
	let most = before;
	const sampling = setInterval(async () => {
		most = Math.max(most, (await server.memory()).rss);
	}, 100);
	const pairs: { alone: number; beside: number }[] = [];
	const statuses: string[] = [];
	for (let round = 0; round < SLOW_ROUNDS; round++) {
		// Earlier writes must not be on their way to the disk meanwhile.
		await Bun.$`sync`;
		const alone = await slowestOfTexts(texts);
		// Their steps are spread out, as those of visitors are: together they would be bursts of 10 MB.
		const uploads = Array.from({ length: SLOW_UPLOADS }, (_, i) => uploadSlowly(files, (i / SLOW_UPLOADS) * STEP_MS));
		pairs.push({ alone, beside: await slowestOfTexts(texts) });
		statuses.push(...(await Promise.all(uploads)));
	}
	clearInterval(sampling);
	const taken = statuses.filter((status) => status.includes(' 200')).length;
	return [
		{
			what: '200 slow uploads at once: memory more than before',
			...{ better: 'lower', must: 100, aim: 50, measured: most - before, unit: ' MiB' },
			detail: `${short(before)} to ${short(most)} MiB; ${taken} of ${statuses.length} stored`,
		},
		{
			what: 'Submissions without files beside them: p99 ÷ alone',
			...{ better: 'lower', must: 2, aim: 1.5, measured: median(pairs.map(({ alone, beside }) => beside / alone)) },
			detail: pairs.map(({ alone, beside }) => `${short(beside)} and ${short(alone)} ms`).join('; '),
		},
		{
			what: 'Slow uploads that were not stored',
			...{ better: 'lower', must: 0, aim: 0, measured: statuses.length - taken },
			detail: `${statuses.length} of 2 MiB, ${SLOW_UPLOADS} at once in ${(STEPS * STEP_MS) / 1000} s`,
		},
	];
}

export async function measureFiles(): Promise<Finding[]> {
	const product = await openProduct('files', { FORMSRV_FILES_QUOTA: '10GiB' });
	const server = await product.start();
	const [jobs, contact] = [
		await product.createForm(server, 'Jobs', { files: { maxBytes: LARGE_BYTES } }),
		await product.createForm(server, 'Contact'),
	];
	const urlOf = ({ slug }: { slug: string }) => `${server.url}/api/f/${slug}`;
	const cost = await measureCost(server, urlOf(jobs));
	await server.untilIdle();
	const slow = await measureSlow(server, { files: urlOf(jobs), texts: urlOf(contact) });
	await server.stop();
	return [cost, ...slow];
}
