/** `formsrv mcp`, started by the client of the protocol's authors as agents start it. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Form } from '../../src/forms/schema.ts';
import { connect, ERAS, type Era } from '../server/mcp/client.ts';
import { openTestServer, type TestServer } from '../server.ts';

setDefaultTimeout(60_000);

const MAIN = join(import.meta.dir, '../../src/main.ts');
const cwd = mkdtempSync(join(tmpdir(), 'formsrv-test-'));
let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
	writeFileSync(join(cwd, 'agent.key'), await server.createKey({ permissions: ['write'] }));
});
afterAll(async () => {
	await server.close();
	rmSync(cwd, { recursive: true });
});

/** The address of the server, once as that of one elsewhere and once as that of this machine. */
const addresses = {
	'--server': () => ['--server', server.baseUrl],
	'--port': () => ['--port', new URL(server.baseUrl).port],
};
const argsOf = (address: string[]) => [MAIN, 'mcp', '--key-file', 'agent.key', ...address];

describe.each(Object.keys(ERAS) as Era[])('an agent of the era %s', (era) => {
	test.each(Object.entries(addresses))('makes a form by a server that %s names', async (name, address) => {
		const transport = new StdioClientTransport({ command: process.execPath, args: argsOf(address()), cwd });
		const agent = await connect(transport, era);
		const slug = `job-${era}${name}`;
		const made = await agent.result<{ form: Form; isNew: boolean }>('ensure_form', { slug, name: 'Größe 你好' });
		expect(made).toMatchObject({ isNew: true, form: { slug, name: 'Größe 你好' } });
		expect(await agent.names()).not.toContain('list_submissions');
		expect((await server.call<Form>(`GET /api/forms/${made.form.id}`)).body.name).toBe('Größe 你好');
		await agent.close();
	});
});

/** Gives the program these lines and no more; returns its responses. */
async function exchange(lines: string, address = addresses['--server']()) {
	const child = Bun.spawn([process.execPath, ...argsOf(address)], {
		cwd,
		env: { PATH: process.env.PATH },
		stdin: new Blob([lines]),
		stdout: 'pipe',
		stderr: 'pipe',
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	const replies = stdout.split('\n').filter((line) => line !== '');
	return { code: await child.exited, replies: replies.map((line) => JSON.parse(line)), stderr };
}

test('each line that asks for something is replied to in its order, whatever it is', async () => {
	const lines = [
		'{"jsonrpc":"2.0","id":1,"method":"ping"}',
		'',
		'no JSON',
		'[]',
		'{"jsonrpc":"2.0","method":"notifications/initialized"}',
		'{"jsonrpc":"1.0","id":"old","method":"ping"}',
		`{"jsonrpc":"2.0","id":"large","method":"ping","params":{"x":"${'y'.repeat(1_100_000)}"}}`,
		'{"jsonrpc":"2.0","id":2,"method":"ping"}',
	];
	const { code, replies, stderr } = await exchange(lines.join('\n'));
	expect([code, stderr]).toEqual([0, '']);
	const said = replies.map(({ id, result, error }) => [id, result ?? error.code]);
	expect(said).toEqual([
		[1, {}],
		[null, -32700],
		[null, -32700],
		['old', -32603],
		['large', -32603],
		[2, {}],
	]);
	expect(JSON.stringify(replies)).not.toContain('yyyy');
});

test('a server that is not there is told to the agent, which goes on', async () => {
	const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
	const { code, replies } = await exchange(ping + ping, ['--server', 'http://127.0.0.1:1']);
	expect(replies.map(({ error }) => error.message)).toEqual(
		new Array(2).fill(expect.stringContaining('cannot be reached')),
	);
	expect(code).toBe(0);
});

test('an address of the settings that is not encrypted is named in the error', async () => {
	const { code, stderr } = await exchange('', ['--host', '192.0.2.1', '--port', '8080']);
	expect(code).toBe(2);
	expect(stderr).toStartWith('http://192.0.2.1:8080 is not encrypted');
});

test('a line that does not end is read up to a bound', async () => {
	const { code, stderr } = await exchange('x'.repeat(5 * 2 ** 20));
	expect([code, stderr]).toEqual([1, 'A message has more than 4 MiB.\n']);
});

test.each(['2026-07-28', '2025-11-25'])(
	'a name of a tool that is no text is said to be none, in version %s',
	async (version) => {
		const meta = {
			'io.modelcontextprotocol/protocolVersion': version,
			'io.modelcontextprotocol/clientCapabilities': {},
		};
		const calls = [{ toString: 1 }, ['snippet'], null].map((name, id) =>
			JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, _meta: meta } }),
		);
		const { code, replies } = await exchange(`${calls.join('\n')}\n`);
		expect(code).toBe(0);
		const error = { code: -32602, message: 'params.name must be a text.' };
		expect(replies.sort((a, b) => a.id - b.id)).toMatchObject([0, 1, 2].map((id) => ({ id, error })));
	},
);
