/**
 * One connection to the database, with a driver of its own that ends with it. A driver that connects again does so with what the
 * broken connection left in it: bytes that were not sent, a FATAL that the next statement is blamed for, a socket that is null.
 */

import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { CLOSED, DialError } from './dial-error.ts';

export type Driver = postgres.Sql<{ bigint: number }>;

/** Its types lack some. */
export type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType }> & {
	onnotify?(channel: string, text: string): void;
};

const TERMINATE = Buffer.from([88, 0, 0, 0, 4]);
/** A server that hangs does not take leave. */
const LEAVE_WITHIN_MS = 500;
const KEEP_ALIVE_MS = 60_000;
const LAST_BYTES = 1000;

export interface Link {
	sql: Driver;
	openedAt: number;
	/** Since when nothing is in flight. */
	idleSince: number;
	/** Statements and transactions in flight. */
	jobs: number;
	/** True if one of them needs the connection alone, as a transaction does. */
	isHeld: boolean;
	/** Resolves when the connection is closed. What is in flight fails, and may take effect nevertheless. */
	close(): Promise<void>;
}

export interface LinkOptions {
	dial(): Promise<Socket>;
	/** Called once, as soon as nothing can be asked any more. */
	onOver(link: Link): void;
}

export function createLink(options: DriverOptions, { dial, onOver }: LinkOptions): Link {
	const gone = Promise.withResolvers<void>();
	let socket: Socket | undefined;
	let isOver = false;
	/** The socket as the driver sees it: it closes only when the driver has ended, and so neither writes to it nor opens another. */
	const wire = Object.assign(new EventEmitter(), {
		host: options.host,
		port: options.port,
		readyState: 'closed',
		write(bytes: Uint8Array): boolean {
			if (!isOver) socket?.write(bytes);
			return true;
		},
		destroy: () => socket?.destroy(),
	});
	// While the driver does not listen yet.
	wire.on('error', () => {});

	async function open(): Promise<EventEmitter> {
		if (isOver) throw closed();
		let cause: Error | undefined;
		let last: Buffer | undefined;
		const opened = await dial().catch((error: Error) => {
			finish(error);
			gone.resolve();
			throw error;
		});
		socket = opened;
		opened.setKeepAlive(true, KEEP_ALIVE_MS);
		opened.on('data', (bytes: Buffer) => {
			last = bytes;
			wire.emit('data', bytes);
		});
		opened.on('error', (error) => {
			cause = error;
		});
		opened.once('close', () => {
			finish(lastWords(last) ?? cause ?? new DialError(CLOSED, 'The database closed the connection.'));
			gone.resolve();
		});
		if (isOver) opened.destroy();
		return wire;
	}

	/** Fails what is in flight, then what the driver holds back until that is done, and at last what transactions do. */
	function finish(error: Error): void {
		if (isOver) return;
		isOver = true;
		onOver(link);
		wire.emit('error', error);
		void sql.end({ timeout: 0 }).then(() => wire.emit('close'));
	}

	const sql = postgres({ ...options, socket: open, max: 1, max_lifetime: null } as DriverOptions) as unknown as Driver;

	const now = performance.now();
	const link: Link = {
		sql,
		openedAt: now,
		idleSince: now,
		jobs: 0,
		isHeld: false,
		async close(): Promise<void> {
			finish(closed());
			if (!socket) return;
			if (link.jobs > 0) socket.destroy();
			else socket.end(TERMINATE);
			const timer = setTimeout(() => socket?.destroy(), LEAVE_WITHIN_MS);
			await gone.promise;
			clearTimeout(timer);
		},
	};
	return link;
}

const FATAL = /E[\s\S]{4}S[^\0]+\0V(FATAL|PANIC)\0C(\w{5})\0M([^\0]*)\0/;

/** Why the server ended the connection, which the driver keeps to itself while a statement is in flight. */
function lastWords(bytes: Buffer | undefined): Error | undefined {
	const [, severity, code, message] = FATAL.exec(bytes?.subarray(-LAST_BYTES).toString() ?? '') ?? [];
	return severity === undefined ? undefined : Object.assign(new Error(message), { severity, code });
}

const closed = () => new DialError('CONNECT_LEFT', 'The connection was closed.');
