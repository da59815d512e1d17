/** Which server of an address connections go to, and those that are open: what its pools have in common. */

import type { Socket } from 'node:net';
import { DialError } from './dial-error.ts';

interface Place {
	/** Of its server in the address. */
	index: number;
	openedAt: number;
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
	let first = 0;
	let turn = 0;

	return {
		/** The server to begin with. */
		first: () => first,
		/** Counts how often that was found out. */
		turn: () => turn,
		setFirst(index: number): void {
			first = index;
			turn++;
		},
		add(socket: Socket, index: number): void {
			sockets.set(socket, { index, openedAt: performance.now() });
		},
		/** Returns whether it was there: what we hang up is not any more. */
		remove: (socket: Socket): boolean => sockets.delete(socket),
		/** Hangs up on all other servers, and ends all connections from before a moment: they may wait for an answer that never comes. */
		leadTo(index: number, openedSince: number): void {
			this.setFirst(index);
			for (const [socket, place] of sockets) {
				if (place.index === index && place.openedAt >= openedSince) continue;
				sockets.delete(socket);
				socket.destroy(new DialError('CONNECT_LEFT', 'The server did not answer, and was left for one that does.'));
			}
		},
	};
}
