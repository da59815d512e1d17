/**
 * Opens the sockets of connections: to the first of the servers that takes one, over TLS as the address says. The driver could
 * do it by itself, but does not say which server failed by what, nor check that a certificate is that of the server.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PostgresAddress, type PostgresHost, socketPath } from '../../config/postgres-url.ts';
import { type DialError, noneAnswers, silent, unreachable } from './dial-error.ts';
import type { Route } from './route.ts';
import { endWhenSilent, failedSocket } from './sockets.ts';
import { secure } from './tls.ts';

const CONNECT_WITHIN_MS = 5000;
/** So soon the driver hangs up on a server that is not the primary. */
const SHORT_MS = 1000;

export interface DialOptions {
	/** A connection that says nothing for so long after something was asked is closed. */
	silentMs: number | undefined;
	/** Left out by what asks each of the servers by itself. */
	route: Route | undefined;
}

/** Never rejects: the driver expects errors from the socket. */
export type Dial = () => Promise<Duplex>;

export function createDial({ hosts, tls }: PostgresAddress, { silentMs, route }: DialOptions): Dial {
	/** The server to begin with while the primary is not known. */
	let first = 0;

	async function dial(): Promise<Duplex> {
		const errors: DialError[] = [];
		const primary = route?.primary();
		const order = primary === undefined ? hosts.map((_, i) => (first + i) % hosts.length) : [primary];
		for (const index of order) {
			const host = hosts[index] as PostgresHost;
			try {
				const socket = await open(host, index);
				noteEnd(socket, index);
				if (silentMs !== undefined) endWhenSilent(socket, { host, silentMs, isWaiting: route?.isWaiting });
				return socket;
			} catch (error) {
				errors.push(unreachable(error, host));
				route?.noteEnd();
			}
		}
		throw noneAnswers(errors);
	}

	async function open(host: PostgresHost, index: number): Promise<Socket> {
		const path = socketPath(host);
		const socket = path === undefined ? connect(host.port, host.host) : connect(path);
		route?.add(socket, index);
		const timer = setTimeout(() => socket.destroy(silent(host, CONNECT_WITHIN_MS)), CONNECT_WITHIN_MS);
		try {
			await once(socket, 'connect');
			return path === undefined ? await secure(socket, { host, tls }) : socket;
		} catch (error) {
			socket.destroy();
			throw error;
		} finally {
			clearTimeout(timer);
			route?.remove(socket);
		}
	}

	/** What is closed at once is not the primary, and what fails may not be any more: as long as none is known, the next one is tried. */
	function noteEnd(socket: Socket, index: number): void {
		const openedAt = performance.now();
		first = index;
		route?.add(socket, index);
		socket.once('close', (hasError) => {
			if (route?.remove(socket) === false) return;
			route?.noteEnd();
			const hasFailed = hasError || socket.bytesRead === 0 || performance.now() - openedAt < SHORT_MS;
			if (hasFailed && first === index) first = (index + 1) % hosts.length;
		});
	}

	return () => dial().catch(failedSocket);
}
