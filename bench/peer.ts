/** Comparison with PocketBase, which also stores submissions in one SQLite file behind one binary; it responds before the commit is synced. */

import { Database } from 'bun:sqlite';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type HttpRequest, sendAtRate } from './load.ts';
import { FIELDS } from './mix.ts';
import { type Running, start } from './processes.ts';
import { jsonPost, openProduct, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { compete, type Effort, type Measure } from './rounds.ts';
import type { Stock } from './stock.ts';

const NAME = 'pocketbase';
const CONNECTIONS = 64;
const READERS = 16;
const PAGE = 50;
const PER_SECOND = 1000;
const OPEN_LOOP_MS = 5000;
const RECORDS = '/api/collections/contact/records';
const ADMIN = { identity: 'admin@example.com', password: 'correct-horse-battery' };

interface Peer {
	server: Running;
	token: string;
	dataDir: string;
	restart(): Promise<Running>;
}

/** The peer's binary, if it is on the PATH. */
export const peerBinary = (): string | null => Bun.which(NAME);

async function openPeer(binary: string): Promise<Peer> {
	const dataDir = join(WORK, NAME);
	await mkdir(dataDir, { recursive: true });
	await Bun.$`${binary} migrate up --dir ${dataDir}`.quiet();
	await Bun.$`${binary} admin create ${ADMIN.identity} ${ADMIN.password} --dir ${dataDir}`.quiet();
	const open = () =>
		start([binary, 'serve', '--http', `127.0.0.1:${freePort()}`, '--dir', dataDir], {
			log: join(WORK, `${NAME}.log`),
			address: /started at (http\S+)/,
			health: '/api/health',
		});
	const server = await open();
	const { token } = await call<{ token: string }>(server, { path: '/api/admins/auth-with-password', body: ADMIN });
	const schema = FIELDS.map((name) => ({ name, type: 'text' }));
	const indexes = ['create index contact_created on contact (created)'];
	const collection = { name: 'contact', type: 'base', createRule: '', schema, indexes };
	await call(server, { path: '/api/collections', body: collection, token });
	return { server, token, dataDir, restart: open };
}

async function call<T>(server: Running, o: { path: string; body: unknown; token?: string }): Promise<T> {
	const response = await fetch(server.url + o.path, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', ...(o.token && { Authorization: o.token }) },
		body: JSON.stringify(o.body),
	});
	if (!response.ok) throw new Error(`${NAME}: ${response.status} ${await response.text()}`);
	return (await response.json()) as T;
}

/** PocketBase prints the port from its arguments, so port 0 does not work. */
function freePort(): number {
	const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
	const { port } = server;
	void server.stop(true);
	if (port === undefined) throw new Error('No port is free.');
	return port;
}

/** Inserts rows directly: through its API that takes minutes. */
function stockPeer({ dataDir }: Peer, rows: number): void {
	using db = new Database(join(dataDir, 'data.db'));
	db.run('delete from contact');
	const insert = db.query('insert into contact (id, created, updated, name, email, message) values (?, ?, ?, ?, ?, ?)');
	db.transaction(() => {
		for (let i = 0; i < rows; i++) {
			const moment = new Date(Date.now() - (rows - i) * 2000).toISOString().replace('T', ' ');
			const text = `Hello, this is message number ${i}. ${'I would like to know more about your work. '.repeat(3)}`;
			insert.run(`r${String(i).padStart(14, '0')}`, moment, moment, `Person ${i}`, `person${i}@example.com`, text);
		}
	})();
}

async function measureLatency(server: Running, request: HttpRequest) {
	const send = (ms: number) => sendAtRate(server, request, { perSecond: PER_SECOND, until: Bun.sleep(ms) });
	await send(1000);
	return send(OPEN_LOOP_MS);
}

/** @param stock A form with as many submissions as the peer gets for the comparison of lists. */
export async function measureAgainstPeer(binary: string, { stock, effort }: { stock: Stock; effort: Effort }) {
	const product = await openProduct('against-peer');
	const [own, peer] = await Promise.all([product.start(), openPeer(binary)]);
	const form = await product.createForm(own, 'Contact');
	const ownPost = jsonPost(`/api/f/${form.slug}`);
	const latency = await measureLatency(own, ownPost);
	const peerLatency = await measureLatency(peer.server, jsonPost(RECORDS));
	await Promise.all([own.stop(), peer.server.stop()]);
	const results = await compete(
		[
			{
				name: 'formsrv',
				open: async () => ({ server: await product.start(), request: ownPost }),
				connections: CONNECTIONS,
			},
			{
				name: NAME,
				open: async () => ({ server: await peer.restart(), request: jsonPost(RECORDS) }),
				connections: CONNECTIONS,
			},
		],
		effort,
	);
	const lists = await competeForLists(peer, { stock, effort });
	const ratio = (measure: Measure) => results.ratio(measure, 'formsrv', NAME);
	const figures = (measure: Measure, unit: string) =>
		['formsrv', NAME].map((name) => short(results.middle(name, measure)) + unit).join(' ÷ ');
	const lower = { better: 'lower' } as const;
	const higher = { better: 'higher' } as const;
	return [
		{
			what: 'Durable submissions per second ÷ PocketBase',
			...{ ...higher, must: 18, aim: 22, measured: ratio('perSecond') },
			detail: figures('perSecond', '/s'),
		},
		{
			what: `Median latency at ${PER_SECOND}/s ÷ PocketBase`,
			...{ ...lower, must: 0.6, aim: 0.45, measured: latency.p50Ms / peerLatency.p50Ms },
			detail: `${short(latency.p50Ms)} ms ÷ ${short(peerLatency.p50Ms)} ms`,
		},
		{
			what: `99th percentile at ${PER_SECOND}/s ÷ PocketBase`,
			...{ ...lower, must: 0.3, aim: 0.15, measured: latency.p99Ms / peerLatency.p99Ms },
			detail: `${short(latency.p99Ms)} ms ÷ ${short(peerLatency.p99Ms)} ms`,
		},
		{
			what: 'Processor time per submission ÷ PocketBase',
			...{ ...lower, must: 0.04, aim: 0.032, measured: ratio('cpuMicros') },
			detail: figures('cpuMicros', ' µs'),
		},
		{
			what: 'List pages per second ÷ PocketBase',
			...{ ...higher, must: 25, aim: 40, measured: lists.ratio },
			detail: `${short(lists.own)}/s ÷ ${short(lists.peer)}/s at ${short(stock.rows)} submissions`,
		},
		{
			what: 'Memory under load ÷ PocketBase',
			...{ ...lower, must: 1.1, aim: 0.9, measured: ratio('rssMiB') },
			detail: figures('rssMiB', ' MiB'),
		},
	] satisfies Finding[];
}

async function competeForLists(peer: Peer, { stock, effort }: { stock: Stock; effort: Effort }) {
	stockPeer(peer, stock.rows);
	const page = { path: `/api/forms/${stock.form.id}/submissions?limit=${PAGE}`, headers: stock.product.authorization };
	const records = { path: `${RECORDS}?perPage=${PAGE}&sort=-created`, headers: { Authorization: peer.token } };
	const results = await compete(
		[
			{
				name: 'formsrv',
				open: async () => ({ server: await stock.product.start(), request: page }),
				connections: READERS,
			},
			{ name: NAME, open: async () => ({ server: await peer.restart(), request: records }), connections: READERS },
		],
		effort,
	);
	const rate = (name: string) => results.middle(name, 'perSecond');
	return { own: rate('formsrv'), peer: rate(NAME), ratio: results.ratio('perSecond', 'formsrv', NAME) };
}
