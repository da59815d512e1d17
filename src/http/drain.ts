/** Ends keep-alive connections when a server stops: `Connection: close` tells clients to send no further request. */

import { readFileSync } from 'node:fs';

const POLL_MS = 5;
/** Between two looks at least so many times as long as a look takes: a machine may have very many connections. */
const POLL_SHARE = 4;
/** Tables of TCP connections; a listener of IPv6 may have those of IPv4 as well. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
/** Local address and port, remote address and port, and the state "established", all hexadecimal. */
const ESTABLISHED = /: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) 01 /g;
/** Part of the time that a client may pause between two requests and still be notified. */
const QUIET_SHARE = 0.5;

interface Draining {
	/** Those that the server listens at. */
	ports: readonly number[];
	withinMs: number;
}

export type Drain = ReturnType<typeof createDrain>;

export function createDrain() {
	let isDraining = false;
	return {
		/** While the server stops, makes the response the last of its connection, which the runtime then closes. */
		closeAfter(response: Response): void {
			if (isDraining) response.headers.set('Connection', 'close');
		},
		/**
		 * Begins to do so. Resolves once the connections that were open have got such a response, or their clients are quiet, as far as
		 * the time allows. Those that come meanwhile are not waited for: each gets one, and a client may come again and again.
		 */
		async begin({ ports, withinMs }: Draining): Promise<void> {
			isDraining = true;
			const began = performance.now();
			let open = connectionsAt(ports);
			let changedAt = began;
			for (let at = began; open.size > 0; at = performance.now()) {
				if (at - began > withinMs || at - changedAt > withinMs * QUIET_SHARE) return;
				const present = connectionsAt(ports);
				const left = new Set([...open].filter((one) => present.has(one)));
				if (left.size < open.size) changedAt = performance.now();
				open = left;
				await Bun.sleep(Math.max(POLL_MS, POLL_SHARE * (performance.now() - at)));
			}
		},
	};
}

/** The connections to this machine's ports. Where the system does not list them, one that never ends stands for them. */
function connectionsAt(ports: readonly number[]): Set<string> {
	const tables = TABLES.map(tableAt);
	if (tables.every((table) => table === undefined)) return new Set(['unknown']);
	const found = new Set<string>();
	for (const [, port = '', remote = ''] of tables.join('').matchAll(ESTABLISHED)) {
		if (ports.includes(Number.parseInt(port, 16))) found.add(`${port} ${remote}`);
	}
	return found;
}

function tableAt(path: string): string | undefined {
	try {
		return readFileSync(path, 'latin1');
	} catch {
		return undefined;
	}
}
