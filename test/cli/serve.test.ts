/** `formsrv serve` and what is done beside it: in this process, and as a process of its own for signals. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../src/cli/run.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const MAIN = join(import.meta.dir, '..', '..', 'src', 'main.ts');
const ANY_PORTS = ['--port', '0', '--submit-port', '0'];

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

/** Serves in this process until `stop`, which answers the exit code. */
const serve = (...argv: string[]) => serveTo({ isTerminal: false }, ...argv);

async function serveTo({ isTerminal }: { isTerminal: boolean }, ...argv: string[]) {
	const asked = new AbortController();
	const announced = Promise.withResolvers<void>();
	let onError = () => {};
	const out: string[] = [];
	const err: string[] = [];
	const ended = run(['serve', ...argv], {
		stdout: {
			write: (written) => {
				const text = Buffer.from(written).toString();
				out.push(text);
				if (text.startsWith('submit')) announced.resolve();
			},
		},
		stderr: {
			isTTY: isTerminal,
			write: (text) => {
				err.push(Buffer.from(text).toString());
				onError();
			},
		},
		env: cli.env,
		cwd: cli.cwd,
		signal: asked.signal,
	});
	await Promise.race([announced.promise, ended]);
	const address = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(out.join(''))?.[1] ?? '';
	return {
		out,
		err,
		base: address('base'),
		submit: address('submit'),
		/** Resolves once standard error holds that text. */
		heard: (text: string) =>
			new Promise<void>((resolve) => {
				onError = () => {
					if (err.join('').includes(text)) resolve();
				};
				onError();
			}),
		stop: () => {
			asked.abort();
			return ended;
		},
	};
}

function spawnServer() {
	const child = Bun.spawn([process.execPath, MAIN, 'serve', ...ANY_PORTS], {
		cwd: cli.cwd,
		env: { PATH: process.env.PATH },
		stdout: 'pipe',
		stderr: 'pipe',
		timeout: 20_000,
	});
	const lines = child.stdout.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
	return { child, lines };
}

async function firstAddress(lines: ReadableStream<string>): Promise<URL> {
	let text = '';
	for await (const chunk of lines.values({ preventCancel: true })) {
		text += chunk;
		const found = /^submit {2}(\S+)\n/m.exec(text)?.[1];
		if (found) return new URL(found);
	}
	throw new Error(`no address in: ${text}`);
}

async function saysOn(stream: ReadableStream<Uint8Array>, wanted: string): Promise<void> {
	const decoder = new TextDecoder();
	let text = '';
	for await (const chunk of stream) {
		text += decoder.decode(chunk, { stream: true });
		if (text.includes(wanted)) return;
	}
	throw new Error(`"${wanted}" is not in: ${text}`);
}

describe('serve', () => {
	test('prints exactly one line per listener once they accept connections', async () => {
		const server = await serve(...ANY_PORTS);
		expect(server.out.join('')).toMatch(/^base {4}http:\/\/127\.0\.0\.1:\d+\nsubmit {2}http:\/\/127\.0\.0\.1:\d+\n$/);
		expect((await fetch(`${server.base}/health`)).status).toBe(200);
		expect((await fetch(`${server.submit}/health`)).status).toBe(200);
		expect(await server.stop()).toBe(0);
		await expect(fetch(`${server.base}/health`)).rejects.toThrow();
	});

	test('on every address says which settings are missing, and names localhost until then', async () => {
		const server = await serve(...ANY_PORTS, '--host', '0.0.0.0', '--base-url', 'https://forms.example.com');
		const { slug } = await cli.json('forms', 'create', 'Contact');
		const accepted = await fetch(`http://127.0.0.1:${new URL(server.submit).port}/f/${slug}`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', 'Formspree-Client': '@formspree/ajax' },
			body: '{"name":"Ada"}',
		});
		const { next } = (await accepted.json()) as { next: string };
		await server.heard('There is no API key yet.');
		expect(await server.stop()).toBe(0);
		expect(server.submit).toStartWith('http://0.0.0.0:');
		expect(next).toBe(`http://localhost:${new URL(server.submit).port}/f/${slug}/thanks`);
		expect(server.err.join('')).toContain('Set FORMSRV_SUBMIT_URL to the addresses that people use');
	});

	test('shows a setup link on a terminal only, and in a log the command that prints one', async () => {
		const where = ['--base-url', 'https://forms.example.com'];
		const logged = await serve(...ANY_PORTS, ...where);
		await logged.heard('There is no API key yet.');
		expect(await logged.stop()).toBe(0);
		const lines = logged.err.join('').trimEnd().split('\n');
		expect(lines.map((line) => JSON.parse(line).message)).toContainEqual(
			expect.stringContaining('open the link that "formsrv dashboard-link" prints'),
		);
		expect(logged.err.join('')).not.toContain('/setup/');
		const shown = await serveTo({ isTerminal: true }, ...ANY_PORTS, ...where);
		await shown.heard('open this link within an hour: https://forms.example.com/#/setup/');
		expect(await shown.stop()).toBe(0);
	});

	test('needs no data folder if the database is elsewhere', async () => {
		const server = await serve(...ANY_PORTS, '--database-url', 'sqlite:elsewhere/forms.db');
		expect((await fetch(`${server.base}/health`)).status).toBe(200);
		expect(await server.stop()).toBe(0);
		expect(readdirSync(cli.cwd)).toEqual(['elsewhere']);
	});

	test('says in one sentence that a port is taken', async () => {
		const first = await serve(...ANY_PORTS);
		const port = new URL(first.base).port;
		expect(await cli.call('serve', '--data-dir', 'other', '--port', port)).toEqual({
			code: 1,
			stdout: '',
			stderr: `Cannot listen at 127.0.0.1:${port}: it is in use. Choose another port.\n`,
		});
		await first.stop();
	});

	test('says in one sentence that the data folder is none', async () => {
		writeFileSync(cli.path('file'), '');
		expect(await cli.call('serve', '--data-dir', 'file')).toEqual({
			code: 1,
			stdout: '',
			stderr: `${cli.path('file', 'formsrv.db')} cannot be made: ${cli.path('file')} is no folder.\n`,
		});
	});

	// 192.0.2.0/24 is for documentation: no machine has an address of it.
	test.each([
		['192.0.2.1', 'this machine does not have that address.'],
		['nowhere.invalid', 'it is in use, or "nowhere.invalid" is not a name of this machine.'],
	])('says in one sentence why it cannot listen at %s', async (host, reason) => {
		expect(await cli.call('serve', '--data-dir', 'unreachable', '--host', host, '--port', '0')).toEqual({
			code: 1,
			stdout: '',
			stderr: `Cannot listen at ${host}:0: ${reason}\n`,
		});
	});

	test('closes its first port if the second is taken', async () => {
		const taken = await serve(...ANY_PORTS, '--data-dir', 'other');
		const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
		const port = String(free.port);
		free.stop(true);
		const ports = ['--port', port, '--submit-port', new URL(taken.submit).port];
		expect((await cli.call('serve', ...ports)).code).toBe(1);
		await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
		await taken.stop();
		const server = await serve(...ports);
		expect((await fetch(`${server.base}/health`)).status).toBe(200);
		await server.stop();
	});

	test('rejects a second server on the same data', async () => {
		const first = await serve(...ANY_PORTS);
		const { code, stderr } = await cli.call('serve', ...ANY_PORTS);
		await first.stop();
		expect(code).toBe(1);
		expect(stderr).toContain(`Another formsrv serves ${cli.path('formsrv-data', 'formsrv.db')} already.`);
	});
});

describe('beside a running server', () => {
	test('a key is created and revoked, from the next request on', async () => {
		const server = await serve(...ANY_PORTS);
		const { key, id } = await cli.json('keys', 'create');
		const status = async () =>
			(await fetch(`${server.base}/api/forms`, { headers: { authorization: `Bearer ${key}` } })).status;
		expect(await status()).toBe(200);
		await cli.call('keys', 'revoke', id);
		expect(await status()).toBe(401);
		await server.stop();
	});

	test('submissions are listed as they arrive', async () => {
		const server = await serve(...ANY_PORTS);
		const { slug } = await cli.json('forms', 'create', 'Contact');
		for (const message of ['first', 'second\x1b[2J']) {
			const body = new URLSearchParams({ message });
			expect((await fetch(`${server.submit}/f/${slug}`, { method: 'POST', body, redirect: 'manual' })).status).toBe(
				303,
			);
		}
		const { stdout, stderr } = await cli.call('submissions', 'list', slug, '--limit', '1');
		expect(stdout).toMatch(/^ID +RECEIVED +STATE +DATA\n\w+ +\S+ \S+ +unread +message=second\\u001b\[2J/);
		expect(stderr).toBe('1 to 1 of 2; go on with --offset 1.\n');
		expect((await cli.call('submissions', 'list', slug, '--filter', 'spam')).stderr).toContain('no such submissions');
		await server.stop();
	});

	test('submissions are listed once each, oldest first, by the cursor of the page before', async () => {
		const server = await serve(...ANY_PORTS);
		const { slug } = await cli.json('forms', 'create', 'Contact');
		const send = (message: string) =>
			fetch(`${server.submit}/f/${slug}`, {
				method: 'POST',
				body: new URLSearchParams({ message }),
				redirect: 'manual',
			});
		const page = (...argv: string[]) => cli.json('submissions', 'list', slug, ...argv);
		const messages = ({ submissions }: { submissions: { data: { message: string } }[] }) =>
			submissions.map(({ data }) => data.message);
		for (const message of ['one', 'two', 'three']) await send(message);

		const { stderr } = await cli.call('submissions', 'list', slug, '--after', '0', '--limit', '2');
		const first = await page('--after', '0', '--limit', '2');
		const { cursor } = first.pagination;
		expect([messages(first), stderr]).toEqual([['one', 'two'], `1 to 2 of 3; go on with --after ${cursor}.\n`]);
		const second = await page('--after', cursor);
		expect(messages(second)).toEqual(['three']);
		const none = await cli.call('submissions', 'list', slug, '--after', second.pagination.cursor);
		expect(none.stderr).toEndWith(`For later ones go on with --after ${second.pagination.cursor}.\n`);
		await send('four');
		expect(messages(await page('--after', second.pagination.cursor))).toEqual(['four']);
		expect(messages(await page('--after', cursor, '--order', 'desc'))).toEqual(['four', 'three']);
		expect(await cli.call('submissions', 'list', slug, '--after', 'no cursor')).toMatchObject({ code: 2 });
		await server.stop();
	});

	test('submissions are listed as JSON exactly as by the API', async () => {
		const server = await serve(...ANY_PORTS);
		const { id, slug } = await cli.json('forms', 'create', 'Contact');
		const { key } = await cli.json('keys', 'create');
		const headers = { 'content-type': 'application/json' };
		const body = '{"big":12345678901234567890,"__proto__":"x","text":"é"}';
		await fetch(`${server.submit}/f/${slug}`, { method: 'POST', headers, body, redirect: 'manual' });
		const url = `${server.base}/api/forms/${id}/submissions?limit=1`;
		const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
		expect((await cli.call('submissions', 'list', slug, '--limit', '1', '--json')).stdout).toBe(
			`${await answer.text()}\n`,
		);
		await server.stop();
	});

	test('the health is queried', async () => {
		const server = await serve(...ANY_PORTS);
		cli.env.FORMSRV_PORT = new URL(server.base).port;
		expect(await cli.call('healthcheck')).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
		expect((await cli.call('healthcheck', '--host', '0.0.0.0')).code).toBe(0);
		expect((await cli.call('healthcheck', '--ready')).stdout).toBe('ok\n');
		rmSync(cli.path('formsrv-data'), { recursive: true });
		await server.heard('was removed, moved, replaced or overwritten');
		const { code, stderr } = await cli.call('healthcheck', '--ready');
		expect(code).toBe(1);
		expect(stderr).toStartWith(
			`The server at ${server.base}/ready is unhealthy: it returned 503: The database was removed`,
		);
		await server.stop();
		expect(await cli.call('healthcheck')).toEqual({
			code: 1,
			stdout: '',
			stderr: `The server at ${server.base}/health is unhealthy: it cannot be reached.\n`,
		});
		expect((await cli.call('healthcheck', '--port', '0')).code).toBe(2);
	});
});

describe('signals', () => {
	/** Opens a submission whose body is not finished, so that there is something in flight. */
	async function halfRequest(address: URL, slug: string) {
		const answer = Promise.withResolvers<string>();
		const socket = await Bun.connect({
			hostname: address.hostname,
			port: Number(address.port),
			socket: { data: (_, bytes) => answer.resolve(bytes.toString()), close: () => answer.resolve('closed') },
		});
		socket.write(
			`POST /f/${slug} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a"`,
		);
		return { answer: answer.promise, finish: () => socket.write(':1}'), end: () => socket.end() };
	}

	test.each(['SIGTERM', 'SIGINT'] as const)('%s lets a request finish and ends with 0', async (name) => {
		const { slug } = await cli.json('forms', 'create', 'Contact');
		const { child, lines } = spawnServer();
		const request = await halfRequest(await firstAddress(lines), slug);
		await Bun.sleep(100);
		child.kill(name);
		await Bun.sleep(100);
		request.finish();
		expect(await request.answer).toStartWith('HTTP/1.1 303');
		expect(await child.exited).toBe(0);
	});

	test.each(['SIGUSR1', 'SIGUSR2'] as const)('%s does nothing, and says so', async (name) => {
		const { child, lines } = spawnServer();
		const { origin } = await firstAddress(lines);
		const said = saysOn(child.stderr, name);
		child.kill(name);
		await said;
		expect((await fetch(`${origin}/health`)).status).toBe(200);
		child.kill('SIGTERM');
		expect(await child.exited).toBe(0);
	});

	test('a second signal ends it at once', async () => {
		const { slug } = await cli.json('forms', 'create', 'Contact');
		const { child, lines } = spawnServer();
		const request = await halfRequest(await firstAddress(lines), slug);
		await Bun.sleep(100);
		child.kill('SIGTERM');
		await Bun.sleep(100);
		child.kill('SIGTERM');
		expect(await child.exited).toBe(143);
		request.end();
	});
});
