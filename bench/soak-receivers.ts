/** The webhook receivers of the soak: live ones, fast or slow, check every byte; dead ones fail in different ways. */

import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { checkText, type StoredText } from './soak-texts.ts';

export interface Delivered {
	number: number;
	submission: string;
	isExact: boolean;
}

/** A slow receiver reads this much, then pauses: 48 MiB in some 8 seconds. */
const SLOW_BYTES = 2 ** 20;
const SLOW_PAUSE_MS = 150;

/**
 * Every third live receiver is slow.
 * @param expected hash and length of a text by its number
 */
export async function openReceivers({
	expected,
	onDelivered,
}: {
	expected: (number: number) => StoredText | undefined;
	onDelivered: (receiver: string, delivered: Delivered) => void;
}) {
	const live = createServer(async (request, response) => {
		try {
			const delivered = await check(request, { expected, isSlow: request.url?.endsWith('slow') ?? false });
			response.writeHead(204).end();
			onDelivered(request.url ?? '', delivered);
		} catch {
			// The sender aborted; it will retry.
			response.destroy();
		}
	});
	const dead: Server[] = [
		// Accepts the connection and reads nothing.
		createPlainServer({ pauseOnConnect: true }, ignoreErrors),
		// Reads everything and never responds.
		createPlainServer((socket) => ignoreErrors(socket).resume()),
		// Reads a part and disconnects.
		createPlainServer((socket) => {
			let left = SLOW_BYTES;
			ignoreErrors(socket).on('data', (chunk) => {
				left -= chunk.length;
				if (left < 0) socket.destroy();
			});
		}),
		// Responds with 500 at once.
		createPlainServer((socket) => {
			ignoreErrors(socket).end('HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
		}),
	];
	const livePort = await listen(live);
	const deadPorts = await Promise.all(dead.map(listen));
	const closedPort = await freePort();

	return {
		liveUrl: (n: number): string => `http://127.0.0.1:${livePort}/${n}${n % 3 === 2 ? '/slow' : ''}`,
		deadUrl: (n: number): string => `http://127.0.0.1:${[...deadPorts, closedPort][n % (deadPorts.length + 1)]}/`,
		close(): void {
			live.closeAllConnections();
			for (const server of [live, ...dead]) server.close();
		},
	};
}

async function check(
	request: IncomingMessage,
	{ expected, isSlow }: { expected: (number: number) => StoredText | undefined; isSlow: boolean },
): Promise<Delivered> {
	const { beginning, number, isExact } = await checkText(isSlow ? slowly(request) : request, expected);
	if (!request.complete) throw new Error('broken off');
	const submission = /"submission":\{"id":"(\w+)"/.exec(beginning)?.[1] ?? '';
	return { number, submission, isExact };
}

async function* slowly(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
	let since = 0;
	for await (const chunk of chunks) {
		yield chunk;
		since += chunk.length;
		if (since < SLOW_BYTES) continue;
		since = 0;
		await Bun.sleep(SLOW_PAUSE_MS);
	}
}

function ignoreErrors(socket: Socket): Socket {
	return socket.on('error', () => {});
}

function listen(server: Server): Promise<number> {
	return new Promise((resolve) => {
		server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
	});
}

async function freePort(): Promise<number> {
	const server = createPlainServer();
	const port = await listen(server);
	await new Promise((resolve) => server.close(resolve));
	return port;
}
