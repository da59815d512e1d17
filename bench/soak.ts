/**
 * Keeps a server under the heaviest load that its limits allow, and reports whether it held.
 *
 *     bun run build && bun bench/soak.ts [--minutes 5] [--memory 512] [--max-body 1]
 *
 * The binary of dist/ runs with FORMSRV_MAX_BODY in MiB in a control group of `--memory` MiB (without the right to create
 * one, only its peak is measured). Two forms have ten webhooks each: five live ones, some of them slow, and five dead ones
 * that fail in different ways. At the same time, on loopback only: bodies of escapes up to the limit in all three
 * encodings; 24 MiB of text, above the default limit; 40 bodies that are sent slowly and never end; lists of 100 and exports
 * of both forms without a pause; /health ten times a second from its own thread. Each body is checked to the byte where a
 * webhook receives it and where it is read again, and then deleted, so that the disk holds some 20 of them. The soak prints
 * a line a minute, ends some minutes after the time at the latest, removes its data, and exits with 1 on any failure.
 */

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { boundMemory } from './memory-bound.ts';
import type { ProbeReport } from './probe.ts';
import type { Running } from './processes.ts';
import { type Form, openProduct, type Product, WORK } from './product.ts';
import { createLoad } from './soak-load.ts';
import { type Delivered, openReceivers } from './soak-receivers.ts';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;
const FORMS = 2;
const LIVE = 5;
const DEAD = 5;
const SLOW_BODIES = 40;
const SLOWEST_HEALTH_MS = 1_000;
/** A webhook that failed once is retried within two minutes. */
const LAST_DELIVERIES_MS = 4 * MINUTE_MS;

const { values } = parseArgs({
	options: { minutes: { type: 'string' }, memory: { type: 'string' }, 'max-body': { type: 'string' } },
});
const minutes = Number(values.minutes ?? 5);
const memoryMib = Number(values.memory ?? 512);
const maxBodyMib = Number(values['max-body'] ?? 1);
if (!(minutes > 0) || !(memoryMib > 0) || !(maxBodyMib > 0)) throw new Error('All options are numbers above 0.');
const SETTINGS = {
	FORMSRV_MAX_BODY: `${maxBodyMib}MiB`,
	FORMSRV_MAX_MULTIPART: '25MiB',
	FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
};

const folder = join(WORK, 'soak');
await rm(folder, { recursive: true, force: true });
const product = await openProduct('soak', SETTINGS);
const bound = boundMemory(memoryMib * MIB);
const server = await product.start(bound.prefix);
const probe = new Worker(new URL('probe.ts', import.meta.url));
try {
	process.exitCode = (await soak(server, product)) ? 0 : 1;
} finally {
	probe.terminate();
	await server.stop();
	bound.remove();
	await rm(folder, { recursive: true, force: true });
}
process.exit();

async function soak(server: Running, product: Product): Promise<boolean> {
	const idleMib = (await server.memory()).rss;
	const forms: Form[] = [];
	for (let i = 0; i < FORMS; i++) forms.push(await product.createForm(server, `Soak ${i + 1}`));
	const until = Date.now() + minutes * MINUTE_MS;
	const { url } = server;
	const load = createLoad({ url, product, forms, maxBody: maxBodyMib * MIB, liveReceivers: LIVE, until });
	const receivers = await openReceivers({
		expected: load.expected,
		onDelivered: (receiver: string, delivered: Delivered) => load.delivered(receiver, delivered),
	});
	for (const [i, form] of forms.entries()) {
		for (let n = 0; n < LIVE; n++) await addWebhook(form, receivers.liveUrl(i * LIVE + n));
		for (let n = 0; n < DEAD; n++) await addWebhook(form, receivers.deadUrl(i * DEAD + n));
	}

	let slowestMs = 0;
	let slowestOfMinute = 0;
	let unhealthy = 0;
	probe.onmessage = ({ data }: MessageEvent<ProbeReport>) => {
		slowestMs = Math.max(slowestMs, data.slowestMs);
		slowestOfMinute = Math.max(slowestOfMinute, data.slowestMs);
		unhealthy += data.failed;
	};
	probe.postMessage(`${url}/health`);

	const began = Date.now();
	let peakMib = 0;
	let isAlive = true;
	const died = server.ended.then(() => {
		isAlive = false;
	});
	async function tell(): Promise<void> {
		const memory = isAlive ? await server.memory() : { rss: 0, peak: 0 };
		peakMib = Math.max(peakMib, memory.peak);
		const { acknowledged, delivered, exact, wrong, busy, oversized, lists, exports, faults } = load.counts;
		console.log(
			`${((Date.now() - began) / MINUTE_MS).toFixed(0)} min: ${acknowledged} acknowledged, ${exact} exact, ${wrong} wrong, ` +
				`${load.undelivered()} in flight, ${delivered} deliveries; asked to wait ${busy}; ${oversized} too large; ${lists} lists, ${exports} exports; ` +
				`/health ${slowestOfMinute.toFixed(0)} ms at most; memory ${memory.rss.toFixed(0)} MiB, peak ${memory.peak.toFixed(0)}; ` +
				`disk ${((await diskBytes()) / MIB).toFixed(0)} MiB; faults ${faults}`,
		);
		slowestOfMinute = 0;
	}
	const ticker = setInterval(() => tell().catch(() => {}), MINUTE_MS);
	await Promise.race([load.run(SLOW_BODIES), died]);
	for (const end = Date.now() + LAST_DELIVERIES_MS; isAlive && load.undelivered() > 0 && Date.now() < end; ) {
		await Bun.sleep(200);
	}
	clearInterval(ticker);
	await tell();
	receivers.close();

	const { acknowledged, exact, wrong, faults } = load.counts;
	const kills = bound.kills();
	console.log(`acknowledged ${acknowledged}, exact ${exact}, wrong ${wrong}, undelivered ${load.undelivered()}`);
	console.log(`/health ${slowestMs.toFixed(0)} ms at most, ${unhealthy} without a response`);
	console.log(
		`memory: idle ${idleMib.toFixed(0)} MiB, peak ${peakMib.toFixed(0)} MiB, ` +
			(kills === null ? 'no control group' : `bound ${memoryMib} MiB, ${kills} out-of-memory kills`),
	);
	for (const [what, times] of load.faults) console.log(`fault: ${what} (${times} times)`);
	const isWell =
		isAlive && exact === acknowledged && acknowledged > 0 && wrong === 0 && unhealthy === 0 && faults === 0;
	// The peak includes pages of the program's file, which the kernel reclaims before it kills a process.
	const isWithin = kills === null ? peakMib <= memoryMib : kills === 0;
	const isGood = isWell && isWithin && slowestMs <= SLOWEST_HEALTH_MS;
	if (!isAlive) console.log('The server ended.');
	console.log(isGood ? 'It held.' : 'It did not hold.');
	return isGood;
}

async function addWebhook(form: Form, target: string): Promise<void> {
	const response = await fetch(`${server.url}/api/forms/${form.id}/webhooks`, {
		method: 'POST',
		headers: { ...product.authorization, 'Content-Type': 'application/json' },
		body: JSON.stringify({ url: target }),
	});
	if (response.status !== 201) throw new Error(`Adding a webhook: ${response.status} ${await response.text()}`);
}

async function diskBytes(): Promise<number> {
	const names = await readdir(folder);
	const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
	return sizes.reduce((sum, size) => sum + size, 0);
}
