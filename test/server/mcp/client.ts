/** The client of the protocol's authors, connected to a server over HTTP with a key. */

import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';

/** The eras of the protocol: with `initialize`, and with a version in each request. */
export const ERAS = { legacy: 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
export type Era = keyof typeof ERAS;

export type Agent = Awaited<ReturnType<typeof openAgent>>;

export async function openAgent(baseUrl: string, key: string, era: Era = '2026-07-28') {
	const requestInit = { headers: { Authorization: `Bearer ${key}` } };
	return connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }), era);
}

export async function connect(transport: Transport, era: Era) {
	const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: ERAS[era] } });
	await client.connect(transport);

	/** The text of a result. */
	async function call(name: string, args: Record<string, unknown> = {}) {
		const { content, isError = false } = await client.callTool({ name, arguments: args });
		const [first] = content as { type: string; text: string }[];
		return { isError, text: first?.text ?? '' };
	}

	return {
		client,
		call,
		async names(): Promise<string[]> {
			return (await client.listTools()).tools.map(({ name }) => name);
		},
		/** The result of a call that has to work, without the lines that mark what visitors sent. */
		async result<Result = Record<string, unknown>>(name: string, args?: Record<string, unknown>): Promise<Result> {
			const { isError, text } = await call(name, args);
			if (isError) throw new Error(`${name}: ${text}`);
			return JSON.parse(text.replace(/^Between .*\n<.*>\n|\n<\/.*>$/g, ''));
		},
		close: () => client.close(),
	};
}
