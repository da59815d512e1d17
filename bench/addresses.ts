/**
 * Measures what the rate limits of many client addresses take: the memory of the server after 500,000 submissions of one address, then of
 * as many addresses, and at the peak of both. All are rejected for their body, so that nothing else is kept.
 *
 *     bun run build && bun bench/addresses.ts [--addresses 500000]
 *
 * It exits with 1 if the memory after different ones is more by 32 MiB. The peak is more than that, because the engine collects garbage
 * later the more it holds.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openProduct, WORK } from './product.ts';

const MAX_GROWTH_MIB = 32;
const CONNECTIONS = 16;
const BODY = '{';

const { values } = parseArgs({ options: { addresses: { type: 'string', default: '500000' } } });
const count = Number(values.addresses);
if (!(count > 0)) throw new Error('--addresses is a number above 0.');

await rm(join(WORK, 'addresses'), { recursive: true, force: true });
const settings = { FORMSRV_LOG_LEVEL: 'error', FORMSRV_RATE_ADDRESS: '1000000', FORMSRV_RATE_SUBMIT: '1000000' };
const product = await openProduct('addresses', settings);
const server = await product.start();
try {
	const { slug } = await product.createForm(server, 'Contact');
	const one = await measure(slug, () => '192.0.2.1');
	// Each /24 has 250 of them.
	const many = await measure(slug, (i) => `20.${(i / 64_000) | 0}.${((i / 250) | 0) % 256}.${i % 250}`);
	const growth = { after: many.after - one.after, peak: many.peak - one.peak };
	console.log(`one address            ${describe(one)}`);
	console.log(`${count} addresses +${describe(growth)}; at most +${MAX_GROWTH_MIB} MiB after`);
	process.exitCode = growth.after <= MAX_GROWTH_MIB ? 0 : 1;
} finally {
	await server.stop();
	await rm(join(WORK, 'addresses'), { recursive: true, force: true });
}

interface Memory {
	after: number;
	peak: number;
}

function describe({ after, peak }: Memory): string {
	return `${Math.round(after)} MiB after, ${Math.round(peak)} MiB at the peak`;
}

async function measure(slug: string, addressOf: (i: number) => string): Promise<Memory> {
	await send(slug, addressOf);
	await server.untilIdle();
	const { rss, peak } = await server.memory();
	return { after: rss, peak };
}

/** Sends so many submissions, each behind the response to the one before it on its connection. */
async function send(slug: string, addressOf: (i: number) => string): Promise<void> {
	const { hostname, port, host } = new URL(server.url);
	let sent = 0;
	const next = () =>
		`POST /api/f/${slug} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nX-Forwarded-For: ${addressOf(sent++)}\r\n` +
		`Content-Length: ${BODY.length}\r\n\r\n${BODY}`;
	const connection = async () => {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		let received = '';
		const socket = await Bun.connect({
			hostname,
			port: Number(port),
			socket: {
				data(socket, data) {
					received += data.toString('latin1');
					const head = received.indexOf('\r\n\r\n');
					const length = Number(/^content-length: (\d+)/im.exec(received)?.[1]);
					if (head < 0 || received.length < head + 4 + length) return;
					if (!received.startsWith('HTTP/1.1 400')) return reject(new Error(received));
					received = '';
					if (sent < count) socket.write(next());
					else resolve();
				},
				close: () => reject(new Error('The server closed a connection.')),
				error: (_, error) => reject(error),
			},
		});
		socket.write(next());
		await promise;
		socket.end();
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}
