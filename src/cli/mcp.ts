/** `formsrv mcp`: the Model Context Protocol over standard input and output, for agents that start a program. */

import { parseExact } from '../text/exact-json.ts';
import { type Cli, CommandError, type Io, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { ownAddress } from './healthcheck.ts';
import { withElsewhere } from './run-on-api.ts';

/** Longer than any message that the server reads. */
const LINE_MAX = 4 * 2 ** 20;
/** The numbers of errors, by JSON-RPC. */
const NO_JSON = -32700;
const NO_RESULT = -32603;
const META = 'io.modelcontextprotocol/protocolVersion';

/** Posts a message to `/mcp`, whatever the status of the response. */
type Post = (message: string, headers: Record<string, string>) => Promise<Response>;

interface Message {
	id?: string | number;
	method?: string;
	params?: { name?: unknown; _meta?: { [META]?: unknown } };
}

export function addMcp(program: CliCommand, cli: Cli): void {
	const command = program
		.command('mcp')
		.summary('Serve an agent that speaks the Model Context Protocol.')
		.description(
			'Serve an agent over standard input and output, by the server that runs on this machine or elsewhere. What the agent may do is what ' +
				'the key may: one with "write" alone makes forms, and can never read what visitors sent.',
		)
		.examples(
			'formsrv mcp --key-file agent.key',
			'formsrv mcp --server https://forms.example.com --key-file agent.key',
		);
	withElsewhere(command);
	withSettings(command, ['host', 'port']).action(async () => {
		const options = command.opts();
		const { openRemote } = await import('./remote-api.ts');
		const server = options.server ?? ownAddress(cli.loadSettings(options));
		const { request } = openRemote({ ...options, server }, cli.io);
		await serve(cli.io, (body, headers) => request({ method: 'POST', path: '/mcp', body, headers, mode: undefined }));
	});
}

/** Until the input ends: each line is one message, and each response one line. */
async function serve({ stdin, stdout }: Io, post: Post): Promise<void> {
	for await (const line of linesOf(stdin?.() ?? [])) {
		const response = line.trim() === '' ? undefined : await respond(line, post);
		if (response !== undefined) await stdout.write(`${response}\n`);
	}
}

async function* linesOf(input: AsyncIterable<Uint8Array> | Uint8Array[]): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = '';
	for await (const chunk of input) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
		rest = lines.pop() ?? '';
		if (rest.length > LINE_MAX) throw new CommandError(`A message has more than ${LINE_MAX / 2 ** 20} MiB.`);
		yield* lines;
	}
	if (rest !== '') yield rest;
}

/** @returns `undefined` for a message that nothing is replied to */
async function respond(line: string, post: Post): Promise<string | undefined> {
	const message = parsed(line);
	if (message === undefined) return failure(null, NO_JSON, 'The line is not a JSON object.');
	const { id } = message;
	try {
		const response = await post(line, headersOf(message));
		const text = await response.text();
		if (id === undefined) return undefined;
		const body = parsed(text) as { jsonrpc?: string; error?: unknown } | undefined;
		if (body?.jsonrpc !== undefined) return text;
		const said = typeof body?.error === 'string' ? body.error : `The server returned status ${response.status}.`;
		return failure(id, NO_RESULT, said);
	} catch (error) {
		return id === undefined ? undefined : failure(id, NO_RESULT, (error as Error).message);
	}
}

function parsed(text: string): Message | undefined {
	try {
		const value = parseExact(text);
		return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** A message says its version from 2026-07-28 on, and over HTTP headers repeat that, its method and its tool. */
function headersOf({ method, params }: Message): Record<string, string> {
	const version = params?._meta?.[META];
	if (typeof version !== 'string' || method === undefined) return {};
	const name = typeof params?.name === 'string' ? Buffer.from(params.name).toString('base64') : undefined;
	return {
		'MCP-Protocol-Version': version,
		'Mcp-Method': method,
		...(name !== undefined && { 'Mcp-Name': `=?base64?${name}?=` }),
	};
}

const failure = (id: string | number | null, code: number, message: string): string =>
	JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
