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

const SUSPECT_AFTER_MS = 2000;
/** The message in which a server says which of its processes serves a connection. */
const KEY_DATA = 'K'.charCodeAt(0);

export interface Silence {
	host: PostgresHost;
	/** A connection that says nothing for so long after something was asked is closed. */
	silentMs: number;
	/** Whether a process of the server waits for us: then what was asked has not arrived, or its answer has not. */
	isWaiting: ((process: number) => Promise<boolean>) | undefined;
}

/** Closes a connection that is silent: its process hangs, or the network is cut. One that works or waits for a standby has its time. */
export function endWhenSilent(socket: Socket, { host, silentMs, isWaiting }: Silence): void {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const processOf = readProcess(socket);
	const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
	const endAfter = (ms: number, sinceMs = 0) => setTimeout(() => socket.destroy(silent(host, ms)), ms - sinceMs);
	const listen = () => {
		clearTimeout(timer);
		timer = undefined;
	};

	async function suspect(): Promise<void> {
		const end = endAfter(silentMs, SUSPECT_AFTER_MS);
		timer = end;
		const process = processOf();
		if (process === undefined || !(await isWaiting?.(process)) || timer !== end) return;
		clearTimeout(end);
		timer = endAfter(SUSPECT_AFTER_MS, SUSPECT_AFTER_MS);
	}

	socket.write = (...args: unknown[]) => {
		timer ??= setTimeout(suspect, SUSPECT_AFTER_MS);
		return write(...args);
	};
	socket.on('data', listen);
	socket.once('close', listen);
}

/** Returns the number of the process behind a connection, once the server has said it. */
function readProcess(socket: Socket): () => number | undefined {
	let process: number | undefined;
	let read = Buffer.alloc(0);
	function look(data: Buffer): void {
		read = Buffer.concat([read, data]);
		while (read.length >= 9) {
			if (read[0] === KEY_DATA) {
				process = read.readInt32BE(5);
				socket.off('data', look);
				return;
			}
			const end = 1 + read.readInt32BE(1);
			if (read.length < end) return;
			read = read.subarray(end);
		}
	}
	socket.on('data', look);
	return () => process;
}
