/** Asks clamd, the daemon of ClamAV, whether a file holds a virus, by its command INSTREAM, and whether it is there, by PING. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ScannerAddress } from '../config/value-types.ts';
import { createBeginning } from '../network/bounded-response.ts';

/** In all, for one file. */
const TIMEOUT_MS = 120_000;
/** It responds at once, also while all its threads scan. */
const PING_TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 4096;
const ENDED = 'clamd ended the connection without a reply';
const BROKEN = 'clamd ended the connection before the end of the file, as it does above its StreamMaxLength';

type ScanResult =
	| { verdict: 'clean' }
	| { verdict: 'infected'; virus: string }
	/** As when it is larger than clamd takes. */
	| { verdict: 'unchecked'; reason: string };

/** There is no connection to be had, or no response. */
export class ScannerUnavailable extends Error {}

/**
 * @param read Called when clamd is there.
 * @throws ScannerUnavailable, and what `read` throws
 */
export async function scanWithClamd(
	address: ScannerAddress,
	read: () => AsyncIterable<Uint8Array>,
	timeoutMs = TIMEOUT_MS,
): Promise<ScanResult> {
	async function* command(): AsyncGenerator<Uint8Array> {
		yield Buffer.from('zINSTREAM\0');
		for await (const chunk of read()) {
			if (chunk.length > 0) yield lengthOf(chunk);
			yield chunk;
		}
		yield lengthOf(new Uint8Array());
	}
	return readVerdict(await ask(address, { command: command(), timeoutMs }));
}

/** Tells a file that it cannot scan from a clamd that is away or hangs. @throws ScannerUnavailable */
export async function pingClamd(address: ScannerAddress): Promise<void> {
	const reply = await ask(address, { command: [Buffer.from('zPING\0')], timeoutMs: PING_TIMEOUT_MS });
	if (reply !== 'PONG') throw unavailable(address, reply);
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
	return { verdict: 'unchecked', reason: reply };
}

interface Question {
	command: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
	timeoutMs: number;
}

/** Returns the line by which clamd responds, or the reason why there is none. A response ends the command. @throws ScannerUnavailable */
async function ask(address: ScannerAddress, { command, timeoutMs }: Question): Promise<string> {
	const socket = 'socket' in address ? connect(address.socket) : connect(address.port, address.host);
	const timeout = new Error(`clamd did not reply within ${timeoutMs / 1000} seconds`);
	const timer = setTimeout(() => socket.destroy(timeout), timeoutMs);
	try {
		await once(socket, 'connect').catch((error) => {
			throw unavailable(address, error.message);
		});
		let isOver = false;
		const reply = replyOf(socket).finally(() => {
			isOver = true;
		});
		for await (const piece of command) {
			// A reply that is there is read first: clamd closes behind it, and a write would then lose it.
			await new Promise((resolve) => setImmediate(resolve));
			if (!isOver && !socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => {}), reply]);
			if (isOver) break;
		}
		return await reply;
	} finally {
		clearTimeout(timer);
		socket.destroy();
	}
}

async function replyOf(socket: Socket): Promise<string> {
	const received = createBeginning(MAX_REPLY_BYTES);
	let problem = ENDED;
	try {
		for await (const chunk of socket) if (!received.add(chunk) || chunk.includes(0)) break;
	} catch (error) {
		// A write behind clamd's last reply fails, and the reply may be lost with it.
		const isBroken = ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '');
		problem = isBroken ? BROKEN : (error as Error).message;
	}
	return received.soFar().split('\0')[0]?.trim() || problem;
}

function unavailable(address: ScannerAddress, reason: string): ScannerUnavailable {
	const at = 'socket' in address ? address.socket : `${address.host}:${address.port}`;
	return new ScannerUnavailable(`clamd cannot be reached at ${at}: ${reason}`);
}
