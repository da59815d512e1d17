/**
 * An ordinary hour: does a server under a steady load stay as large as it is?
 *
 *     bun run build && bun bench/hour.ts [--minutes 60] [--rate 500] [--overload 60]
 *
 * The binary of dist/ gets `--rate` submissions a second, as people send them (bench/mix.ts), to four forms: a plain one, one with a webhook,
 * one with mail, one with files. Meanwhile owners read, search, count and export, and it makes backups on its schedule; the command makes
 * another every ten minutes. A line a minute has memory, descriptors, threads and the size of SQLite's log. Then ten times the rate
 * for `--overload` seconds, and how long until a submission takes less than 100 ms again. At the end each acknowledged
 * submission has to be there exactly once, with each webhook and mail delivered once. Exit 1 otherwise, or if memory grew by a MiB
 * or more in ten minutes once it was warm, or if the log, which grows while a backup reads, stays large. On loopback only; it
 * ends by itself and removes its data. It wants the machine for itself.
 */

import { Database } from 'bun:sqlite';
import { readdirSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { createHourLoad, type Forms, formOf, NUMBER } from './hour-load.ts';
import { BINARY, openProduct, WORK } from './product.ts';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;
const SAMPLE_MS = 2000;
const BACKUP_MS = 10 * MINUTE_MS;
/** As long the lowest of each minute still rises, by a few MiB: the allocator keeps room for whatever reads and exports have needed. */
const WARM_UP_MINUTES = 25;
const GROWTH_MAX_MIB = 1;
/** The log keeps 16 MiB when nothing reads for long. */
const WAL_MAX_MIB = 17;
/** A backup by hand takes less, so that none runs into the rest. */
const BACKUP_MAX_MS = 3 * MINUTE_MS;
/** The scheduled backup, which falls into the rest, reads no longer. */
const REST_MAX_MS = 5 * MINUTE_MS;
const BACK_WITHIN_MS = 5000;
const AS_BEFORE_MS = 100;
const LAST_DELIVERIES_MS = 5 * MINUTE_MS;

const { values } = parseArgs({
	options: { minutes: { type: 'string' }, rate: { type: 'string' }, overload: { type: 'string' } },
});
const minutes = Number(values.minutes ?? 60);
const rate = Number(values.rate ?? 500);
const overloadSeconds = Number(values.overload ?? 60);
if (!(minutes > 0) || !(rate > 0) || !(overloadSeconds >= 0)) throw new Error('All options are numbers above 0.');

// Bun sends 256 requests at once unless its environment says otherwise as it starts; overload is more.
if (!process.env.BUN_CONFIG_MAX_HTTP_REQUESTS) {
	const env = { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65000' };
	const again = Bun.spawn([process.execPath, ...process.argv.slice(1)], {
		env,
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	process.exit(await again.exited);
}

const folder = join(WORK, 'hour');
const archives = join(folder, 'archives');
await rm(folder, { recursive: true, force: true });
await mkdir(archives, { recursive: true });

/** How often each number arrived by webhook, and by mail. */
const delivered = { webhook: new Map<number, number>(), mail: new Map<number, number>() };
const receiver = createServer(async (request, response) => {
	let text = '';
	for await (const chunk of request.setEncoding('utf8')) text += chunk;
	noteDelivery('webhook', text);
	response.writeHead(204).end();
});
const mailServer = new SMTPServer({
	authOptional: true,
	disabledCommands: ['STARTTLS'],
	async onData(stream, _session, done) {
		let text = '';
		for await (const chunk of stream.setEncoding('utf8')) text += chunk;
		noteDelivery('mail', (await PostalMime.parse(text)).text ?? '');
		done();
	},
});
const listen = async (server: {
	listen(port: number, host: string, done: () => void): unknown;
	address(): unknown;
}) => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
};
const receiverPort = await listen(receiver);
const mailPort = await listen(mailServer.server);

const product = await openProduct('hour', {
	FORMSRV_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
	FORMSRV_MAIL_FROM: 'forms@example.com',
	FORMSRV_MAIL_PER_HOUR: '100000',
	FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
	FORMSRV_BACKUP_EVERY: '1h',
	FORMSRV_BACKUP_TO: archives,
	FORMSRV_BACKUP_KEEP: '2',
});
const server = await product.start();
try {
	process.exitCode = (await hour()) ? 0 : 1;
} finally {
	await server.stop();
	receiver.closeAllConnections();
	receiver.close();
	mailServer.close();
	await rm(folder, { recursive: true, force: true });
}
process.exit();

async function hour(): Promise<boolean> {
	const forms = await createForms();
	const load = createHourLoad({ url: server.url, product, forms });
	const until = Date.now() + minutes * MINUTE_MS;
	const figures = { rss: [] as number[][], descriptors: 0, threads: 0, wal: 0, p99: [] as number[] };
	const sampler = setInterval(() => void sample(figures), SAMPLE_MS);
	const ticker = setInterval(() => tell(load, figures), MINUTE_MS);
	const backups = setInterval(() => until - Date.now() > BACKUP_MAX_MS && void backUp(), BACKUP_MS);
	await Promise.all([load.submitAtRate(rate, until), load.readUntil(until)]);
	clearInterval(ticker);
	clearInterval(sampler);
	clearInterval(backups);

	const growth = growthOf(figures.rss);
	console.log(`memory: ${growth.toFixed(2)} MiB more in ten minutes (may be ${GROWTH_MAX_MIB})`);
	const wal = await rest(load);
	console.log(`log of the database: ${(figures.wal / MIB).toFixed(0)} MiB at most`);
	const backMs = await overload(load);
	for (const end = Date.now() + LAST_DELIVERIES_MS; Date.now() < end && missing(load.acknowledged) > 0; ) {
		await Bun.sleep(500);
	}
	const isExact = check(load.acknowledged);
	for (const [what, times] of load.faults) console.log(`fault: ${what} (${times} times)`);
	return isExact && growth < GROWTH_MAX_MIB && wal <= WAL_MAX_MIB && backMs <= BACK_WITHIN_MS && load.faults.size === 0;
}

async function createForms(): Promise<Forms> {
	const forms = {
		plain: await product.createForm(server, 'Plain'),
		webhook: await product.createForm(server, 'Webhook'),
		mail: await product.createForm(server, 'Mail', { notificationEmail: 'owner@example.com' }),
		files: await product.createForm(server, 'Files', { files: { maxFiles: 1 } }),
	};
	const response = await fetch(`${server.url}/api/forms/${forms.webhook.id}/webhooks`, {
		method: 'POST',
		headers: { ...product.authorization, 'Content-Type': 'application/json' },
		body: JSON.stringify({ url: `http://127.0.0.1:${receiverPort}/` }),
	});
	if (response.status !== 201) throw new Error(`Adding a webhook: ${response.status} ${await response.text()}`);
	return forms;
}

function noteDelivery(channel: keyof typeof delivered, text: string): void {
	const number = new RegExp(`${NUMBER}[^0-9]{1,40}([0-9]+)`, 'i').exec(text)?.[1];
	const times = delivered[channel];
	times.set(Number(number ?? -1), (times.get(Number(number ?? -1)) ?? 0) + 1);
}

async function sample(figures: { rss: number[][]; descriptors: number; threads: number; wal: number }): Promise<void> {
	const minute = Math.floor(performance.now() / MINUTE_MS);
	figures.rss[minute] ??= [];
	figures.rss[minute].push((await server.memory()).anonymous);
	figures.descriptors = readdirSync(`/proc/${server.pid}/fd`).length;
	figures.threads = readdirSync(`/proc/${server.pid}/task`).length;
	figures.wal = Math.max(figures.wal, await logBytes());
}

function logBytes(): Promise<number> {
	return stat(`${product.file}-wal`).then(
		({ size }) => size,
		() => 0,
	);
}

function tell(
	load: ReturnType<typeof createHourLoad>,
	{ rss, descriptors, threads, wal }: { rss: number[][]; descriptors: number; threads: number; wal: number },
): void {
	const latencies = load.takeLatencies();
	const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
	const { reads, exports, rejected, inFlight } = load.counts;
	console.log(
		`${rss.length - 1} min: ${load.acknowledged.length} acknowledged, ${rejected} rejected, ${inFlight} in flight, p99 ${p99.toFixed(1)} ms; ` +
			`${delivered.webhook.size} webhooks, ${delivered.mail.size} mails, ${reads} reads, ${exports} exports; ` +
			`memory ${Math.min(...(rss.at(-1) ?? [])).toFixed(1)} to ${Math.max(...(rss.at(-1) ?? [])).toFixed(1)} MiB, ${descriptors} descriptors, ${threads} threads, log ${(wal / MIB).toFixed(0)} MiB at most`,
	);
}

/** By least squares over the lowest of each minute, which is held, in MiB for ten minutes; without those in which it warms up. */
function growthOf(minutesOfRss: number[][]): number {
	const points = minutesOfRss
		.map((samples) => Math.min(...samples))
		.slice(minutes > 2 * WARM_UP_MINUTES ? WARM_UP_MINUTES : 0, minutes);
	const middle = (points.length - 1) / 2;
	const mean = points.reduce((sum, value) => sum + value, 0) / points.length;
	const above = points.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0);
	const below = points.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
	return (above / below) * 10;
}

/** @returns MiB of the log once it is as small as it stays when nothing reads for long, or when it should have been */
async function rest(load: ReturnType<typeof createHourLoad>): Promise<number> {
	const began = Date.now();
	for (;;) {
		await Bun.sleep(1000);
		await load.submitOnce();
		const wal = (await logBytes()) / MIB;
		const restedMs = Date.now() - began;
		if (wal > WAL_MAX_MIB && restedMs < REST_MAX_MS) continue;
		console.log(
			`log of the database: ${wal.toFixed(0)} MiB (may be ${WAL_MAX_MIB}) after ${restedMs / 1000} s of rest`,
		);
		return wal;
	}
}

async function backUp(): Promise<void> {
	const archive = join(folder, 'by-hand.tar');
	await rm(archive, { force: true });
	const env = { FORMSRV_DATA_DIR: product.dataDir };
	const { exitCode, stderr } = await Bun.$`${BINARY} backup ${archive}`.env(env).quiet().nothrow();
	console.log(exitCode === 0 ? 'backed up' : `backup: exit ${exitCode}: ${stderr.toString().trim()}`);
}

/** @returns milliseconds until a submission takes as long as before */
async function overload(load: ReturnType<typeof createHourLoad>): Promise<number> {
	if (overloadSeconds === 0) return 0;
	load.takeLatencies();
	const before = load.acknowledged.length;
	await load.submitAtRate(10 * rate, Date.now() + overloadSeconds * 1000);
	const over = performance.now();
	const latencies = load.takeLatencies();
	for (let tookMs = Number.POSITIVE_INFINITY; tookMs > AS_BEFORE_MS; ) {
		const began = performance.now();
		await load.submitOnce();
		tookMs = performance.now() - began;
	}
	const backMs = performance.now() - over;
	console.log(
		`overload: ${load.acknowledged.length - before} acknowledged in ${overloadSeconds} s, ${load.counts.rejected} rejected, ` +
			`p99 ${latencies[Math.floor(latencies.length * 0.99)]?.toFixed(0)} ms; as before after ${(backMs / 1000).toFixed(2)} s; ` +
			`memory ${(await server.memory()).anonymous.toFixed(1)} MiB`,
	);
	return backMs;
}

function missing(acknowledged: number[]): number {
	return acknowledged.filter((number) => {
		const channel = formOf(number);
		return (channel === 'webhook' || channel === 'mail') && !delivered[channel].has(number);
	}).length;
}

function check(acknowledged: number[]): boolean {
	const stored = new Map<number, number>();
	using db = new Database(product.file, { readonly: true });
	const rows = db.query<{ number: string }, []>(`select json_extract(data, '$.${NUMBER}') as number from submissions`);
	for (const { number } of rows.iterate()) stored.set(Number(number), (stored.get(Number(number)) ?? 0) + 1);
	const lost = acknowledged.filter((number) => !stored.has(number)).length;
	const doubled = [...stored.values()].filter((times) => times > 1).length;
	const undelivered = missing(acknowledged);
	const twice = [...delivered.webhook.values(), ...delivered.mail.values()].filter((times) => times > 1).length;
	const integrity = Object.values(db.query('pragma quick_check').get() as object)[0];
	console.log(
		`acknowledged ${acknowledged.length}, lost ${lost}, doubled ${doubled}, not delivered ${undelivered}, ` +
			`delivered twice ${twice}; database: ${integrity}`,
	);
	return lost + doubled + undelivered + twice === 0 && integrity === 'ok' && acknowledged.length > 0;
}
