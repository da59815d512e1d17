/** Every cause of an alert, provoked at the compiled binary: it arrives by HTTP and by SMTP, once when it begins and once when it is over. */

import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { freePort } from '../free-port.ts';
import { mayMount, mountDisk } from '../mounts.ts';
import { descendantsOf } from '../processes.ts';
import { withProgram } from '../programs.ts';
import { openClock } from '../settable-clock.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(120_000);

const cc = withProgram('cc');
/** So often the server looks for causes. */
const LOOK_S = 5;
const MINUTE_S = 60;
const HOUR_S = 3600;
const MEBIBYTE = 1024 * 1024;

let cwd: string;
let mail: ScriptedSmtp;
let receiver: Bun.Server<undefined>;
/** The alerts that arrived by HTTP, as `begun disk`. */
let posted: string[];
const closers: (() => unknown)[] = [];

beforeEach(async () => {
	cwd = tempFolder();
	posted = [];
	mail = await startScriptedSmtp();
	receiver = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { state, name } = (await request.json()) as Record<string, string>;
			posted.push(`${state} ${name}`);
			return new Response();
		},
	});
	closers.push(mail.close, () => receiver.stop(true));
});
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

/** Those that arrived by mail, in the same words. */
const mailed = () =>
	mail.accepted.map(({ content }) => {
		const [, begun, over] =
			/^Subject: formsrv(?: has a problem: (\w+)|: the problem (\w+) is over)/m.exec(content) ?? [];
		return begun ? `begun ${begun}` : `over ${over}`;
	});

const hasArrived = (alert: string) => posted.includes(alert) && mailed().includes(alert);

interface Api {
	server: RunningBinary;
	call<T>(route: string, body?: object): Promise<T>;
	submit(slug: string): Promise<number>;
}

async function installation(settings: Record<string, string> = {}) {
	const clock = openClock(join(cwd, 'clock'));
	const env = {
		...clock.env,
		FORMSRV_ALERT_URL: `http://127.0.0.1:${receiver.port}/`,
		FORMSRV_ALERT_MAIL: 'operator@example.com',
		FORMSRV_ALERT_SMTP_URL: mail.url,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_RATE_SUBMIT: '0',
		...settings,
	};
	const run = async (...args: string[]) => {
		const { code, stdout, stderr } = await runBinary(args, { cwd, env });
		expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
		return stdout.trim();
	};
	const key = await run('keys', 'create');
	let server: RunningBinary;

	async function start(): Promise<Api> {
		server = await startBinary({ cwd, env });
		closers.push(() => server.end('SIGKILL').catch(() => {}));
		return {
			server,
			async call<T>(route: string, body?: object) {
				const [method, path] = route.split(' ');
				const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
				const response = await fetch(server.baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
				return (await response.json().catch(() => undefined)) as T;
			},
			async submit(slug) {
				const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
				const body = JSON.stringify({ message: 'x'.repeat(600) });
				return (await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', headers, body })).status;
			},
		};
	}

	/** Lets a step of time pass, in which the server takes a look: a request wakes it, where a timer would sleep on for as long as it meant to. */
	async function step(): Promise<void> {
		clock.pass(LOOK_S);
		await fetch(`${server.submitUrl}/health`);
		await Bun.sleep(20);
	}

	/** Lets time pass until that has arrived both ways. */
	async function arrives(alert: string): Promise<void> {
		while (!hasArrived(alert)) await step();
	}

	async function passes(seconds: number): Promise<void> {
		for (let left = seconds; left > 0; left -= LOOK_S) await step();
	}

	/** Lets time pass until the server runs a process. */
	async function childOf({ pid }: RunningBinary): Promise<number> {
		for (;;) {
			const [child] = descendantsOf(pid);
			if (child) return child.pid;
			await step();
		}
	}

	return { clock, run, start, childOf, arrives, passes };
}

/** In the order in which they are named, however the two ways were mixed. */
function expectOnce(...alerts: string[]): void {
	expect({ posted: posted.toSorted(), mailed: mailed().toSorted() }).toEqual({
		posted: alerts.toSorted(),
		mailed: alerts.toSorted(),
	});
}

cc.test('a mail server and a webhook that take nothing for 15 minutes', async () => {
	const [mailPort, hookPort] = [freePort(), freePort()];
	const { clock, start, arrives, passes } = await installation({ FORMSRV_SMTP_URL: `smtp://127.0.0.1:${mailPort}` });
	const { server, call, submit } = await start();
	const form = await call<{ id: string }>('POST /api/forms', {
		name: 'A',
		slug: 'a',
		notificationEmail: 'a@example.com',
	});
	await call(`POST /api/forms/${form.id}/webhooks`, { url: `http://127.0.0.1:${hookPort}/` });
	expect(await submit('a')).toBe(200);
	await passes(14 * MINUTE_S);
	expectOnce();
	await arrives('begun mail');
	await arrives('begun webhooks');

	const owners = await startScriptedSmtp({}, mailPort);
	const hook = Bun.serve({ port: hookPort, hostname: '127.0.0.1', fetch: () => new Response() });
	closers.push(owners.close, () => hook.stop(true));
	await arrives('over mail');
	await arrives('over webhooks');
	expect(owners.accepted).toHaveLength(1);
	clock.pass(HOUR_S);
	await passes(10 * LOOK_S);
	expectOnce('begun mail', 'begun webhooks', 'over mail', 'over webhooks');
	expect(await server.end('SIGTERM')).toBe(0);
});

cc.test('a delivery that is given up', async () => {
	const owners = await startScriptedSmtp({ RCPT: '550 5.1.1 unknown' });
	closers.push(owners.close);
	const { clock, start, arrives, passes } = await installation({ FORMSRV_SMTP_URL: owners.url });
	const { server, call, submit } = await start();
	await call('POST /api/forms', { name: 'A', slug: 'a', notificationEmail: 'gone@example.com' });
	expect(await submit('a')).toBe(200);
	await arrives('begun deliveries');
	await passes(MINUTE_S);
	expectOnce('begun deliveries');
	clock.pass(HOUR_S);
	await arrives('over deliveries');
	await passes(10 * LOOK_S);
	expectOnce('begun deliveries', 'over deliveries');
	expect(await server.end('SIGTERM')).toBe(0);
});

cc.test('a backup that cannot be made', async () => {
	const place = join(cwd, 'backups');
	const { start, arrives, passes } = await installation({ FORMSRV_BACKUP_EVERY: '1h', FORMSRV_BACKUP_TO: place });
	const { server } = await start();
	await arrives('begun backup');
	mkdirSync(place);
	await arrives('over backup');
	await passes(10 * LOOK_S);
	expectOnce('begun backup', 'over backup');
	expect(await server.end('SIGTERM')).toBe(0);
});

cc.test('a backup that is overdue, because its process stands still', async () => {
	const place = join(cwd, 'backups');
	mkdirSync(place);
	const { clock, start, childOf, arrives, passes } = await installation({
		FORMSRV_BACKUP_EVERY: '1h',
		FORMSRV_BACKUP_TO: place,
	});
	const { server, call } = await start();
	const isKnown = async () => (await call<{ backup: { lastAt: string | null } }>('GET /api/status'))?.backup.lastAt;
	await until(isKnown);
	// The process of the first one, which ends some time after its file is there, is not the one to stop.
	const isOver = async () => {
		await until(() => descendantsOf(server.pid).length === 0);
	};
	await isOver();
	clock.pass(HOUR_S);
	const backup = await childOf(server);
	process.kill(backup, 'SIGSTOP');
	closers.push(() => descendantsOf(server.pid).some(({ pid }) => pid === backup) && process.kill(backup, 'SIGCONT'));
	// Much less than the hour after which it is overdue: on a busy machine some of that went by until it began.
	clock.pass(30 * MINUTE_S);
	await passes(6 * LOOK_S);
	expectOnce();
	clock.pass(25 * MINUTE_S);
	await arrives('begun backup');
	process.kill(backup, 'SIGCONT');
	// Steps of time that pass meanwhile could make the next one overdue as well.
	await isOver();
	await arrives('over backup');
	await passes(10 * LOOK_S);
	expectOnce('begun backup', 'over backup');
	expect(await server.end('SIGTERM')).toBe(0);
});

cc.test('a clock that is set', async () => {
	const { clock, start, arrives, passes } = await installation();
	const { server } = await start();
	await passes(MINUTE_S);
	clock.set(3 * HOUR_S);
	await arrives('begun clock');
	clock.set(-3 * HOUR_S);
	await passes(MINUTE_S);
	expectOnce('begun clock');
	clock.pass(HOUR_S);
	await arrives('over clock');
	await passes(10 * LOOK_S);
	expectOnce('begun clock', 'over clock');
	expect(await server.end('SIGTERM')).toBe(0);
});

test.skipIf(cc.isMissing || !mayMount)('a disk of which less than a tenth is free', async () => {
	const disk = mountDisk('320m');
	const { start, arrives, passes } = await installation({ FORMSRV_DATA_DIR: join(disk, 'data') });
	const { server } = await start();
	await passes(MINUTE_S);
	expectOnce();
	const { bavail, bsize } = statfsSync(disk);
	writeFileSync(join(disk, 'rest'), Buffer.alloc(bavail * bsize - 24 * MEBIBYTE));
	await arrives('begun diskLow');
	rmSync(join(disk, 'rest'));
	await arrives('over diskLow');
	await passes(10 * LOOK_S);
	// If the place of files is looked at meanwhile, it has too little room as well.
	const told = [posted, mailed()].map((alerts) => alerts.filter((alert) => alert.endsWith(' diskLow')));
	expect(told).toEqual(Array(2).fill(['begun diskLow', 'over diskLow']));
	expect(await server.end('SIGTERM')).toBe(0);
});

/** Overwrites a leaf page of the table of submissions that is neither the first nor the last one. */
function damage(path: string): void {
	const file = new BetterSqlite3(path, { readonly: true });
	const pages = file.prepare(
		"select pageno from dbstat where name = 'submissions' and pagetype = 'leaf' order by pageno",
	);
	const page = Number((pages.pluck().all() as number[])[3]);
	file.close();
	const handle = openSync(path, 'r+');
	writeSync(handle, Buffer.alloc(512, 0xff), 0, 512, (page - 1) * 4096);
	closeSync(handle);
}

cc.test('a damaged page, until a backup is restored', async () => {
	const { run, start, arrives, passes } = await installation();
	const first = await start();
	await first.call('POST /api/forms', { name: 'A', slug: 'a' });
	for (let i = 0; i < 60; i++) expect(await first.submit('a')).toBe(200);
	expect(await first.server.end('SIGTERM')).toBe(0);
	await run('backup', 'good.tar');
	damage(join(cwd, 'formsrv-data/formsrv.db'));

	const second = await start();
	const { forms } = await second.call<{ forms: { id: string }[] }>('GET /api/forms');
	await second.call(`GET /api/forms/${forms[0]?.id}/export?format=ndjson`).catch(() => {});
	// No time passes for it: some waits of the stop are by the system's clock, and would last as much longer.
	await until(() => hasArrived('begun damage'));
	expect(await second.server.end('SIGTERM')).toBe(0);
	await run('restore', 'good.tar', '--force');
	const third = await start();
	await arrives('over damage');
	await passes(10 * LOOK_S);
	expectOnce('begun damage', 'over damage');
	expect(await third.server.end('SIGTERM')).toBe(0);
});
