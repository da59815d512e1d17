/** A server that never stops talking: as fast as it is listened to, or a little at a time. */

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface Endless {
	/** Said first, once something was asked, or at once if `greets`. */
	head?: string | Buffer;
	/** Said again and again. */
	piece: string | Buffer;
	greets?: boolean;
	/** Between two pieces; as fast as it goes if it is left out. */
	pauseMs?: number;
}

/** More than anybody may take before hanging up. */
const ENOUGH_BYTES = 512 * 1024 * 1024;

export type EndlessServer = Awaited<ReturnType<typeof startEndless>>;

export async function startEndless({ head = '', piece, greets = false, pauseMs }: Endless) {
	const sockets = new Set<Socket>();
	let sentBytes = 0;
	let connections = 0;

	function talk(socket: Socket): void {
		if (!socket.writable || sentBytes > ENOUGH_BYTES) return;
		sentBytes += piece.length;
		const goesOn = socket.write(piece);
		if (pauseMs !== undefined) setTimeout(talk, pauseMs, socket);
		else if (goesOn) setImmediate(talk, socket);
		else socket.once('drain', () => talk(socket));
	}

	const server = createServer((socket) => {
		connections++;
		sockets.add(socket);
		socket.on('error', () => {});
		socket.on('close', () => sockets.delete(socket));
		const begin = () => {
			socket.resume();
			if (head.length > 0) socket.write(head);
			talk(socket);
		};
		if (greets) begin();
		else socket.once('data', begin);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	return {
		port,
		url: `http://127.0.0.1:${port}`,
		sentBytes: () => sentBytes,
		connections: () => connections,
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
