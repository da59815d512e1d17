/** Sockets that end with an error where the driver would wait. */

import type { Socket } from 'node:net';
import type { PostgresHost } from '../../../config/postgres-url.ts';
import { DialError, silent } from './dial-error.ts';

/** After so long, and then each time as long again, it is asked whether the process waits for us. */
const SUSPECT_AFTER_MS = 2000;
/** The message in which a server says which of its processes serves a connection. */
const KEY_DATA = 'K'.charCodeAt(0);

interface Silence {
	host: PostgresHost;
	/** A connection that says nothing for so long after something was asked is closed. */
	silentMs: number;
	/** Returns whether a process of the server waits for us: then the query has not arrived, or its result has not. */
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

	/** Asks repeatedly, because the state of the server itself may be unknown for a moment. */
	async function suspect(forMs: number): Promise<void> {
		const nextMs = forMs + SUSPECT_AFTER_MS;
		const next = nextMs < silentMs ? setTimeout(suspect, SUSPECT_AFTER_MS, nextMs) : endAfter(silentMs, forMs);
		timer = next;
		const process = processOf();
		if (process === undefined || !(await isWaiting?.(process)) || timer !== next) return;
		clearTimeout(next);
		timer = endAfter(forMs, forMs);
	}

	socket.write = (...args: unknown[]) => {
		timer ??= setTimeout(suspect, SUSPECT_AFTER_MS, SUSPECT_AFTER_MS);
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

/** Limit above any message that holds no values of a row. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const ROW = 'D'.charCodeAt(0);
const HEAD_BYTES = 5;

/** Closes a connection on a message that is no row and without end, such as a notice: the driver would keep all of it. */
export function endWhenEndless(socket: Socket): void {
	let head: Buffer = Buffer.alloc(0);
	/** Bytes of the message that are still to come. */
	let left = 0;
	socket.on('data', (data: Buffer) => {
		for (let at = 0; at < data.length; ) {
			const passed = Math.min(left, data.length - at);
			at += passed;
			left -= passed;
			if (left > 0) return;
			const part = data.subarray(at, at + HEAD_BYTES - head.length);
			at += part.length;
			head = head.length === 0 ? part : Buffer.concat([head, part]);
			if (head.length < HEAD_BYTES) return;
			left = head.readUInt32BE(1) + 1 - HEAD_BYTES;
			if (head[0] !== ROW && left > MAX_MESSAGE_BYTES) {
				socket.destroy(new DialError('CONNECT_ENDLESS', 'The database server sends a message without end.'));
				return;
			}
			head = head.subarray(HEAD_BYTES);
		}
	});
}
