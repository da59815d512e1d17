/** A proxy in front of a server: it can be cut off, can fall silent, and can end a connection in place of passing on what the server says. */

import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** @param address Of a database; returns one that leads through the proxy. */
export async function startTcpProxy(address: string) {
	const target = new URL(address);
	const open = new Set<Socket>();
	const clients = new Set<Socket>();
	let isCut = false;
	let swallows = () => false;
	let isSevered = false;
	let isSilent = false;

	const listener = createServer((client) => {
		if (isCut) return void client.destroy();
		const server = connect(Number(target.port), target.hostname);
		if (isSilent) for (const one of [client, server]) one.pause();
		clients.add(client);
		client.on('close', () => clients.delete(client));
		for (const [one, other] of [
			[client, server],
			[server, client],
		] as const) {
			open.add(one);
			one.on('error', () => {});
			one.on('close', () => {
				open.delete(one);
				if (!isSevered) other.destroy();
			});
		}
		client.on('data', (data) => server.write(data));
		server.on('data', (data) => {
			if (swallows()) client.destroy();
			else client.write(data);
		});
	});
	await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
	const through = new URL(address);
	through.port = `${(listener.address() as { port: number }).port}`;

	return {
		address: through.href,
		/** Ends all connections, and refuses new ones until {@link restore}. */
		cut(): void {
			isCut = true;
			for (const socket of open) socket.destroy();
		},
		/** Passes nothing on any more, and ends no connection, until {@link restore}. */
		silence(): void {
			isSilent = true;
			for (const socket of open) socket.pause();
		},
		restore(): void {
			isCut = false;
			isSilent = false;
			for (const socket of open) socket.resume();
		},
		/** Ends the connections of clients, of which the server hears nothing. */
		sever(): void {
			isSevered = true;
			for (const client of clients) client.destroy();
		},
		/** From now on, whether the next words of the server are lost, with their connection. */
		swallow(decide: () => boolean): void {
			swallows = decide;
		},
		async close(): Promise<void> {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => listener.close(resolve));
		},
	};
}
