/** A mail server for tests that can be told to hang, drop the connection or reject at any stage of the dialogue. */

import { createServer, type Socket } from 'node:net';

export const STAGES = ['greeting', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'content'] as const;
export type Stage = (typeof STAGES)[number];

/** At a stage: say nothing, close the connection, or give this reply; otherwise all goes well. */
export type Behaviour = 'hang' | 'drop' | (string & {});

const REPLIES: Record<Stage, string> = {
	greeting: '220 test ESMTP',
	EHLO: '250-test\r\n250-AUTH PLAIN\r\n250 SIZE 50000000',
	AUTH: '235 2.7.0 welcome',
	MAIL: '250 2.1.0 sender ok',
	RCPT: '250 2.1.5 recipient ok',
	DATA: '354 go on',
	content: '250 2.0.0 queued as 4711',
};

export interface ReceivedMail {
	from: string;
	to: string[];
	content: string;
	/** In bytes, by SIZE. */
	announced?: number;
}

export interface ScriptedSmtp {
	url: string;
	port: number;
	/** Everything acknowledged after the final dot, and everything that was only handed over. */
	accepted: ReceivedMail[];
	handedOver: ReceivedMail[];
	/** When each connection was opened, in milliseconds since 1970. */
	connections: number[];
	/** Replaces the script; a function is called with each mail's recipients so far. */
	script: Partial<Record<Stage, Behaviour | ((mail: ReceivedMail) => Behaviour | undefined)>>;
	/** Ends a silence: sends a line to every connection. */
	say(line: string): void;
	close(): Promise<void>;
}

export async function startScriptedSmtp(script: ScriptedSmtp['script'] = {}, port = 0): Promise<ScriptedSmtp> {
	const sockets = new Set<Socket>();
	const peer = { accepted: [], handedOver: [], connections: [], script } as unknown as ScriptedSmtp;
	const server = createServer((socket) => {
		sockets.add(socket);
		peer.connections.push(Date.now());
		socket.on('close', () => sockets.delete(socket));
		socket.on('error', () => {});
		converse(socket, peer);
	});
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
	peer.port = (server.address() as { port: number }).port;
	peer.url = `smtp://127.0.0.1:${peer.port}`;
	peer.say = (line) => {
		for (const socket of sockets) socket.write(`${line}\r\n`);
	};
	peer.close = async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	};
	return peer;
}

function begun(line: string): ReceivedMail {
	const [, size] = /\bSIZE=(\d+)/.exec(line) ?? [];
	const from = /<(.*?)>/.exec(line)?.[1] ?? '';
	return { from, to: [], content: '', ...(size !== undefined && { announced: Number(size) }) };
}

function converse(socket: Socket, peer: ScriptedSmtp): void {
	let mail: ReceivedMail = { from: '', to: [], content: '' };
	let isContent = false;
	let buffer = '';

	/** Performs the scripted stage. Returns whether the dialogue may go on as if nothing was scripted. */
	function perform(stage: Stage): boolean {
		const scripted = peer.script[stage];
		const behaviour = typeof scripted === 'function' ? scripted(mail) : scripted;
		if (behaviour === 'hang') return false;
		if (behaviour === 'drop') {
			socket.destroy();
			return false;
		}
		socket.write(`${behaviour ?? REPLIES[stage]}\r\n`);
		return behaviour === undefined || /^[23]/.test(behaviour);
	}

	function command(line: string): void {
		const verb = line.slice(0, 4).toUpperCase();
		if (verb === 'EHLO' || verb === 'HELO') perform('EHLO');
		else if (verb === 'AUTH') perform('AUTH');
		else if (verb === 'MAIL') {
			mail = begun(line);
			perform('MAIL');
		} else if (verb === 'RCPT') {
			mail.to.push(/<(.*)>/.exec(line)?.[1] ?? '');
			if (!perform('RCPT')) mail.to.pop();
		} else if (verb === 'DATA') isContent = perform('DATA');
		else if (verb === 'QUIT') socket.end('221 bye\r\n');
		else socket.write('502 unknown command\r\n');
	}

	function content(): void {
		const end = buffer.indexOf('\r\n.\r\n');
		if (end < 0) return;
		mail.content = buffer.slice(0, end + 2).replace(/^\.\./gm, '.');
		buffer = buffer.slice(end + 5);
		isContent = false;
		peer.handedOver.push(mail);
		if (perform('content')) peer.accepted.push(mail);
	}

	socket.on('data', (chunk) => {
		buffer += chunk.toString('latin1');
		while (!isContent && buffer.includes('\r\n')) {
			const end = buffer.indexOf('\r\n');
			const line = buffer.slice(0, end);
			buffer = buffer.slice(end + 2);
			command(line);
		}
		if (isContent) content();
	});
	perform('greeting');
}
