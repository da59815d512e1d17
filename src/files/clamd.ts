/** Asks clamd, the daemon of ClamAV, whether a file holds a virus, by its command INSTREAM, and whether it is there, by PING. */

import type { ScannerAddress } from '../config/files-urls.ts';
import { createBeginning } from '../network/bounded-response.ts';

/** In all, for one file. */
const TIMEOUT_MS = 120_000;
/** It responds at once, also while all its threads scan. */
const PING_TIMEOUT_MS = 5000;
/** Size of a piece; for clamd only its StreamMaxLength bounds it. */
const PIECE_BYTES = 256 * 1024;
const MAX_REPLY_BYTES = 4096;
const ENDED = 'clamd ended the connection without a reply';

export type ScanResult =
	| { verdict: 'clean' }
	| { verdict: 'infected'; virus: string }
	/** As when it is larger than clamd takes. */
	| { verdict: 'unchecked'; reason: string };

/** There is no connection to be had, or no response. */
export class ScannerUnavailable extends Error {}

/**
 * @param read Called when clamd is there.
 * @throws ScannerUnavailable, and what `read` and its stream throw
 */
export async function scanWithClamd(
	address: ScannerAddress,
	read: () => Promise<ReadableStream<Uint8Array>>,
	timeoutMs = TIMEOUT_MS,
): Promise<ScanResult> {
	const connection = await connect(address, timeoutMs);
	try {
		await connection.send(Buffer.from('zINSTREAM\0'));
		for await (const chunk of await read()) {
			for (let at = 0; at < chunk.length && !connection.hasReply(); at += PIECE_BYTES) {
				const piece = chunk.subarray(at, at + PIECE_BYTES);
				await connection.send(lengthOf(piece));
				await connection.send(piece);
			}
			if (connection.hasReply()) break;
		}
		if (!connection.hasReply()) await connection.send(lengthOf(new Uint8Array()));
		return readVerdict(await connection.reply());
	} finally {
		connection.close();
	}
}

/** Tells a file that it cannot scan from a clamd that is away or hangs. @throws ScannerUnavailable */
export async function pingClamd(address: ScannerAddress): Promise<void> {
	const connection = await connect(address, PING_TIMEOUT_MS);
	try {
		await connection.send(Buffer.from('zPING\0'));
		const reply = await connection.reply();
		if (reply !== 'PONG') throw unavailable(address, reply || ENDED);
	} finally {
		connection.close();
	}
}

function lengthOf(piece: Uint8Array): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(piece.length);
	return length;
}

/** `stream: OK`, `stream: NAME FOUND`, or a sentence that ends with ERROR. */
function readVerdict(reply: string): ScanResult {
	if (reply === 'stream: OK') return { verdict: 'clean' };
	const [, virus] = /^stream: (.+) FOUND$/.exec(reply) ?? [];
	if (virus !== undefined) return { verdict: 'infected', virus };
	return { verdict: 'unchecked', reason: reply || ENDED };
}

interface Connection {
	/** Resolves when there is room for more. */
	send(bytes: Uint8Array): Promise<void>;
	/** Also when the connection is over. */
	hasReply(): boolean;
	/** Returns the line that clamd sent before it ended the connection or the line; rejects with the error that ended it. */
	reply(): Promise<string>;
	close(): void;
}

async function connect(address: ScannerAddress, timeoutMs: number): Promise<Connection> {
	const ended = Promise.withResolvers<string>();
	const received = createBeginning(MAX_REPLY_BYTES);
	let isOver = false;
	let drained = Promise.withResolvers<void>();

	function end(reason = ''): void {
		isOver = true;
		drained.resolve();
		ended.resolve(received.soFar().split('\0')[0]?.trim() || reason);
	}

	const handler: Bun.SocketHandler = {
		data(_, chunk) {
			if (!isOver && (!received.add(chunk) || chunk.includes(0))) end();
		},
		drain: () => drained.resolve(),
		end: () => end(),
		close: () => end(),
		error: (_, error) => end(error.message),
	};
	const socket = await open(address, handler);
	const timer = setTimeout(() => end(`clamd did not reply within ${timeoutMs / 1000} seconds`), timeoutMs);

	return {
		async send(bytes) {
			for (let left = bytes; left.length > 0 && !isOver; ) {
				drained = Promise.withResolvers();
				const written = socket.write(left);
				if (written < 0) return end();
				left = left.subarray(written);
				if (left.length > 0) await drained.promise;
			}
		},
		hasReply: () => isOver,
		reply: () => ended.promise,
		close() {
			clearTimeout(timer);
			socket.terminate();
		},
	};
}

async function open(address: ScannerAddress, socket: Bun.SocketHandler) {
	try {
		if ('socket' in address) return await Bun.connect({ unix: address.socket, socket });
		return await Bun.connect({ hostname: address.host, port: address.port, socket });
	} catch (error) {
		throw unavailable(address, (error as Error).message);
	}
}

function unavailable(address: ScannerAddress, reason: string): ScannerUnavailable {
	const at = 'socket' in address ? address.socket : `${address.host}:${address.port}`;
	return new ScannerUnavailable(`clamd cannot be reached at ${at}: ${reason}`);
}
