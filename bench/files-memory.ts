/**
 * The binary's memory and responsiveness while files come and go: mails with files, slow uploads, and servers that respond without
 * end, at one time or each by itself. `bun bench/files-memory.ts [--only mails,uploads,responses] [--binary PATH]`
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { start } from './processes.ts';

const MIB = 2 ** 20;
const MAILS = 40;
const MAIL_FILE_BYTES = 10 * MIB - 4096;
const UPLOADS = 600;
const UPLOAD_BYTES_A_SECOND = 64 * 1024;
const UPLOAD_SECONDS = 25;
const TICKS_A_SECOND = 4;
const ENDLESS = 10;
const MAX_MIB = 150;
const MAX_HEALTH_MS = 1000;

const { values } = parseArgs({
	options: {
		only: { type: 'string', default: 'mails,uploads,responses' },
		binary: { type: 'string', default: join(import.meta.dir, '..', 'dist', 'formsrv') },
	},
});
const parts = new Set(values.only.split(','));

const REPLIES: Record<string, string> = { EHLO: '250-sink\r\n250 SIZE 50000000\r\n', DATA: '354 go on\r\n' };

/** Takes mails and counts them. */
async function takeMails() {
	const taken = { mails: 0 };
	const server = createServer((socket) => {
		let isContent = false;
		let tail = '';

		function content(data: Buffer): void {
			tail = (tail + data.toString('latin1')).slice(-5);
			if (tail !== '\r\n.\r\n') return;
			isContent = false;
			taken.mails++;
			socket.write('250 ok\r\n');
		}

		function commands(data: Buffer): void {
			for (const line of data.toString('latin1').split('\r\n').filter(Boolean)) {
				const verb = line.slice(0, 4).toUpperCase();
				isContent = verb === 'DATA';
				socket.write(REPLIES[verb] ?? '250 ok\r\n');
			}
		}

		socket.on('error', () => {});
		socket.on('data', (data: Buffer) => (isContent ? content(data) : commands(data)));
		socket.write('220 sink\r\n');
	});
	return { taken, port: await listen(server) };
}

/** Responds without end to whatever is asked, as fast as it is read. */
async function respondWithoutEnd() {
	const piece = Buffer.alloc(64 * 1024, 'x');
	const server = createServer((socket) => {
		const talk = () => {
			while (socket.writable && socket.write(piece));
			socket.once('drain', talk);
		};
		socket.on('error', () => {});
		socket.once('data', () => {
			socket.resume();
			socket.write('HTTP/1.1 500 No\r\nContent-Type: text/xml\r\n\r\n');
			talk();
		});
	});
	return listen(server);
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
	return new Promise((resolve) => {
		server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
	});
}

const cwd = mkdtempSync(join(tmpdir(), 'formsrv-files-memory-'));
const mails = await takeMails();
const endless = await respondWithoutEnd();
const env = {
	FORMSRV_DATA_DIR: cwd,
	FORMSRV_RATE_SUBMIT: '0',
	FORMSRV_RATE_ADDRESS: '0',
	FORMSRV_RATE_FORM: '0',
	FORMSRV_SMTP_URL: `smtp://127.0.0.1:${mails.port}?tls=off`,
	FORMSRV_MAIL_FROM: 'forms@example.com',
	FORMSRV_MAIL_PER_HOUR: '100000',
	FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
	FORMSRV_TURNSTILE_SECRET: 'secret',
	FORMSRV_TURNSTILE_VERIFY_URL: `http://127.0.0.1:${endless}`,
	...(parts.has('responses') && { FORMSRV_SCAN: `clamd:tcp://127.0.0.1:${endless}` }),
};
const command = async (...args: string[]) => {
	const child = Bun.spawn([values.binary, ...args], { cwd, env, stdout: 'pipe', stderr: 'ignore' });
	return (await new Response(child.stdout).text()).trim();
};
const key = await command('keys', 'create');
const server = await start([values.binary, 'serve'], { env, cwd, log: join(cwd, 'log') });
const submitUrl = server.url;

async function api<T>(path: string, json: object): Promise<T> {
	const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
	const response = await fetch(`${server.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
	if (!response.ok) throw new Error(await response.text());
	return (await response.json()) as T;
}

await api('/forms', { name: 'Mails', slug: 'mails', notificationEmail: 'owner@example.com', attachFiles: true });
await api('/forms', { name: 'Uploads', slug: 'uploads', files: { maxBytes: 20 * MIB } });
await api('/forms', { name: 'Captcha', slug: 'captcha', captcha: 'turnstile' });
const hooked = await api<{ id: string }>('/forms', { name: 'Webhooks', slug: 'webhooks' });
for (let number = 0; number < ENDLESS; number++) {
	await api(`/forms/${hooked.id}/webhooks`, { url: `http://127.0.0.1:${endless}/${number}` });
}

const file = Buffer.alloc(MAIL_FILE_BYTES, 'formsrv ');
async function sendMails(): Promise<string> {
	const statuses = new Map<number, number>();
	for (let sent = 0; sent < MAILS; sent++) {
		const body = new FormData();
		body.append('name', 'Ada');
		body.append('file', new File([file], 'a.bin'));
		const response = await fetch(`${submitUrl}/api/f/mails`, {
			method: 'POST',
			body,
			headers: { Accept: 'application/json' },
		});
		await response.bytes();
		statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
	}
	const accepted = statuses.get(200) ?? 0;
	for (const end = Date.now() + 120_000; mails.taken.mails < accepted && Date.now() < end; ) await Bun.sleep(100);
	return `${[...statuses].map(([status, count]) => `${count} × ${status}`)}, ${mails.taken.mails} mails arrived`;
}

/** From as many networks as bytes may come from at one time. */
async function upload(): Promise<string> {
	const { hostname, port } = new URL(submitUrl);
	const sockets: Socket[] = [];
	const statuses = new Map<string, number>();
	const total = UPLOAD_BYTES_A_SECOND * UPLOAD_SECONDS;
	const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
	const tail = '\r\n--b--\r\n';
	const ended = Array.from({ length: UPLOADS }, (_, number) => {
		const socket = connect(Number(port), hostname);
		sockets.push(socket);
		socket.write(
			`POST /api/f/uploads HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Forwarded-For: 11.${number >> 8}.${number & 255}.1\r\nAccept: application/json\r\n` +
				`Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${head.length + total + tail.length}\r\nConnection: close\r\n\r\n${head}`,
		);
		return new Promise<void>((resolve) => {
			socket.once('data', (data) => {
				const status = data.toString('latin1').split(' ')[1] ?? '';
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
				resolve();
			});
			socket.on('error', () => resolve()).on('close', () => resolve());
		});
	});
	const piece = Buffer.alloc(UPLOAD_BYTES_A_SECOND / TICKS_A_SECOND, 'u');
	for (let sent = 0; sent < total; sent += piece.length) {
		for (const socket of sockets) if (socket.writable) socket.write(piece);
		await Bun.sleep(1000 / TICKS_A_SECOND);
	}
	for (const socket of sockets) if (socket.writable) socket.write(tail);
	await Promise.race([Promise.all(ended), Bun.sleep(60_000)]);
	for (const socket of sockets) socket.destroy();
	return [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
}

async function provoke(): Promise<string> {
	for (let sent = 0; sent < 20; sent++) {
		for (const slug of ['webhooks', 'captcha']) {
			const body = new URLSearchParams({ name: 'Ada', 'cf-turnstile-response': 'token' });
			await (await fetch(`${submitUrl}/api/f/${slug}`, { method: 'POST', body, redirect: 'manual' })).bytes();
		}
		await Bun.sleep(500);
	}
	return `${ENDLESS} webhooks, a captcha vendor, a virus scanner`;
}

await (await fetch(`${server.url}/health`)).bytes();
await server.untilIdle();
const idle = (await server.memory()).rss;
let slowestMs = 0;
let most = idle;
let isOver = false;
const watching = (async () => {
	while (!isOver) {
		const began = performance.now();
		await (await fetch(`${server.url}/health`)).bytes();
		slowestMs = Math.max(slowestMs, performance.now() - began);
		most = Math.max(most, (await server.memory()).rss);
		await Bun.sleep(50);
	}
})();
const works: [string, () => Promise<string>][] = [
	['mails', sendMails],
	['uploads', upload],
	['responses', provoke],
];
const said = await Promise.all(
	works.filter(([name]) => parts.has(name)).map(async ([name, work]) => `${name}: ${await work()}`),
);
isOver = true;
await watching;
const over = (await server.memory()).peak - idle;
await server.stop('SIGKILL');
rmSync(cwd, { recursive: true, force: true });
for (const line of said) console.log(line);
console.log(
	`memory: ${idle.toFixed(0)} MiB idle, at most ${over.toFixed(0)} MiB more; /health: ${slowestMs.toFixed(0)} ms at most`,
);
process.exit(over <= MAX_MIB && slowestMs <= MAX_HEALTH_MS ? 0 : 1);
