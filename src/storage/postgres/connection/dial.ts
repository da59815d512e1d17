/**
 * Opens the sockets of connections, over TLS as the address says. The driver could do it by itself, but does not say which server
 * failed by what, nor check that a certificate is that of the server.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type PostgresAddress, type PostgresHost, socketPath } from '../../../config/postgres-url.ts';
import { silent, unreachable } from './dial-error.ts';
import type { Route } from './route.ts';
import { endWhenEndless, endWhenSilent } from './sockets.ts';
import { secure } from './tls.ts';

const CONNECT_WITHIN_MS = 5000;

interface DialOptions {
	/** A connection that says nothing for so long after something was asked is closed. */
	silentMs: number | undefined;
	/** Left out by what asks each of the servers by itself. */
	route: Route | undefined;
}

/** @param index Of the server in the address. */
type Dial = (index: number) => Promise<Socket>;

export function createDial({ hosts, tls }: Pick<PostgresAddress, 'hosts' | 'tls'>, options: DialOptions): Dial {
	const { silentMs, route } = options;

	async function dial(index: number): Promise<Socket> {
		const host = hosts[index] as PostgresHost;
		try {
			const socket = await open(host, index);
			endWhenEndless(socket);
			route?.add(socket, index);
			socket.once('close', () => {
				if (route?.remove(socket) !== false) route?.noteEnd();
			});
			if (silentMs !== undefined) endWhenSilent(socket, { host, silentMs, isWaiting: route?.isWaiting });
			return socket;
		} catch (error) {
			route?.noteEnd();
			throw unreachable(error, host);
		}
	}

	async function open(host: PostgresHost, index: number): Promise<Socket> {
		const path = socketPath(host);
		const socket = path === undefined ? connect(host.port, host.host) : connect(path);
		route?.add(socket, index);
		// Those who wait for it are told by themselves.
		socket.on('error', () => {});
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

	return dial;
}
