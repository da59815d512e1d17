/** Finds the primary among the servers of an address, and keeps the connections to all of them: the common part of its pools. */

import type { Socket } from 'node:net';
import { DialError } from './dial-error.ts';

interface Place {
	/** Index of its server in the address. */
	index: number;
	openedAt: number;
}

interface Watcher {
	/** Hears of each connection that ends or cannot be made. */
	noteEnd(): void;
	/** Returns whether that process of the primary waits for us. */
	isWaiting(process: number): Promise<boolean>;
}

export type Route = ReturnType<typeof createRoute>;

const routes = new Map<string, Route>();

/** @param url One and the same for all pools of a database. */
export function routeOf(url: string): Route {
	const route = routes.get(url) ?? createRoute();
	routes.set(url, route);
	return route;
}

function createRoute() {
	const sockets = new Map<Socket, Place>();
	let watcher: Watcher | undefined;
	let primary: number | undefined;

	return {
		/** The only server that connections go to, once it is known. */
		primary: () => primary,
		/** Returns how to stop. */
		watchedBy(one: Watcher): () => void {
			watcher = one;
			return () => {
				if (watcher === one) watcher = undefined;
			};
		},
		noteEnd: (): void => watcher?.noteEnd(),
		isWaiting: async (process: number): Promise<boolean> => (await watcher?.isWaiting(process)) === true,
		add(socket: Socket, index: number): void {
			sockets.set(socket, { index, openedAt: performance.now() });
		},
		/** Returns whether it was there: what we hang up is not any more. */
		remove: (socket: Socket): boolean => sockets.delete(socket),
		/** Unknown primary: each pool tries one server after the other. */
		forget(): void {
			primary = undefined;
		},
		/** Hangs up on all other servers, and ends all connections from before a moment: they may wait for an answer that never comes. */
		leadTo(index: number, openedSince: number): void {
			primary = index;
			for (const [socket, place] of sockets) {
				if (place.index === index && place.openedAt >= openedSince) continue;
				sockets.delete(socket);
				socket.destroy(new DialError('CONNECT_LEFT', 'The server did not answer, and was left for one that does.'));
			}
		},
	};
}
