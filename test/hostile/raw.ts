/** Sends raw bytes to a socket, and reads until the peer closes or falls silent. */

import { connect } from 'node:net';

const SILENCE_MS = 400;

export interface RawResponse {
	status: number;
	head: string;
	body: string;
}

/** Sends bytes and reads everything that comes back. */
export function sendRaw(url: string, bytes: string | Uint8Array): Promise<string> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve) => {
		const socket = connect(Number(port), hostname);
		const chunks: Uint8Array[] = [];
		const finish = () => {
			socket.destroy();
			resolve(Buffer.concat(chunks).toString('latin1'));
		};
		socket.setTimeout(SILENCE_MS, finish);
		socket.on('data', (chunk: Buffer) => chunks.push(chunk));
		socket.on('close', finish);
		socket.on('error', finish);
		socket.write(bytes);
	});
}

/** Splits the received bytes into responses, by their declared lengths. */
export function splitResponses(text: string): RawResponse[] {
	const responses: RawResponse[] = [];
	let rest = text;
	while (rest.startsWith('HTTP/1.')) {
		const end = rest.indexOf('\r\n\r\n');
		const head = rest.slice(0, end);
		const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
		responses.push({ status: Number(head.slice(9, 12)), head, body: rest.slice(end + 4, end + 4 + length) });
		rest = rest.slice(end + 4 + length);
	}
	return responses;
}
