/** Sockets that end with an error where the driver would wait, or try again without a pause. */

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { PostgresHost } from '../../config/postgres-url.ts';
import { silent } from './dial-error.ts';

/** One that fails as soon as the driver listens to it. */
export function failedSocket(error: Error): Duplex {
	const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
	setImmediate(() => socket.destroy(error));
	return socket;
}

/** Closes a connection that says nothing for so long after something was asked: its process hangs, or the network is cut. */
export function endWhenSilent(socket: Socket, { host, silentMs }: { host: PostgresHost; silentMs: number }): void {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
	const listen = () => {
		clearTimeout(timer);
		timer = undefined;
	};
	socket.write = (...args: unknown[]) => {
		timer ??= setTimeout(() => socket.destroy(silent(host, silentMs)), silentMs);
		return write(...args);
	};
	socket.on('data', listen);
	socket.once('close', listen);
}
