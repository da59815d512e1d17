/** A server behind nginx and Caddy as docs/operating.md configures them: it knows the addresses of clients, and its events arrive at once. */

import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { connect } from 'node:net';
import { startCaddy } from '../caddy.ts';
import { startNginx } from '../nginx.ts';
import { withProgram } from '../programs.ts';
import { openTestServer } from '../server.ts';
import { until } from '../until.ts';

setDefaultTimeout(30_000);

/** Proxies are at 127.0.0.1, clients at another address of the loopback network. */
const PROXY = '127.0.0.1';
const CLIENT = '127.0.0.2';
const [nginx, caddy] = [withProgram('nginx'), withProgram('caddy')];
const PROXIES = [
	['nginx', nginx, startNginx],
	['Caddy', caddy, startCaddy],
] as const;

const closers: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

/** Sends a request from the address of the client; the connection stays open. */
function send(
	url: string,
	{ method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string },
) {
	const { host, hostname, port, pathname } = new URL(url);
	const socket = connect({ host: hostname, port: Number(port), localAddress: CLIENT });
	const lines = Object.entries({ Host: host, 'Content-Length': body.length, ...headers }).map(
		([name, value]) => `${name}: ${value}\r\n`,
	);
	let received = '';
	let isOver = false;
	socket.on('data', (bytes) => {
		received += bytes;
	});
	for (const end of ['close', 'error']) socket.on(end, () => (isOver = true));
	socket.write(`${method} ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
	closers.push(() => socket.destroy());
	return {
		/** Waits for it, and returns all that came. */
		async until(part: string): Promise<string> {
			while (!received.includes(part)) {
				if (isOver) throw new Error(`The connection ended: ${received}`);
				await Bun.sleep(5);
			}
			return received;
		},
	};
}

describe.each(PROXIES)('behind %s', (_, { path, isMissing }, startProxy) => {
	async function setUp() {
		const settings = { FORMSRV_TRUSTED_PROXIES: PROXY, FORMSRV_LOG_LEVEL: 'info', FORMSRV_RATE_SUBMIT: '3' };
		const server = await openTestServer({ settings });
		closers.push(server.close);
		const form = await server.app.forms.create('live', { name: 'Contact', context: { address: 'full' } });
		const proxy = await startProxy(path, server);
		closers.push(proxy.stop);
		const submit = (headers = {}) =>
			send(`${proxy.submitUrl}/f/${form.slug}`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
				body: '{"name":"Ada"}',
			}).until('success');
		return { server, form, proxy, submit };
	}

	test.skipIf(isMissing)('log, submission and rate have the address of the client, whatever it claims', async () => {
		const { server, form, submit } = await setUp();
		await submit();
		await submit({ 'X-Forwarded-For': '203.0.113.9' });
		const { body } = await server.call<{ submissions: { meta: object }[] }>(`GET /api/forms/${form.id}/submissions`);
		expect(body.submissions.map(({ meta }) => meta)).toEqual([{ address: CLIENT }, { address: CLIENT }]);
		server.app.log.flush();
		const logged = server.logLines.map((line) => JSON.parse(line)).filter(({ path }) => path === `/f/${form.slug}`);
		expect(logged.map(({ address }) => address)).toEqual([CLIENT, CLIENT]);
		await submit();
		expect(await submit({ 'X-Forwarded-For': '203.0.113.10' })).toStartWith('HTTP/1.1 429 ');
	});

	test.skipIf(isMissing)('an event arrives while the stream is open', async () => {
		const { server, form, proxy, submit } = await setUp();
		const stream = send(`${proxy.baseUrl}/api/events`, { headers: { Authorization: `Bearer ${server.adminKey}` } });
		await stream.until('event: hello');
		for (let n = 1; n <= 3; n++) {
			await submit();
			const heard = async () => (await stream.until('event: submission')).split('event: submission').length - 1;
			await until(async () => (await heard()) >= n);
		}
		expect(await stream.until(form.id)).toStartWith('HTTP/1.1 200 ');
	});
});
