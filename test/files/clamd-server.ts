/** The clamd of the system with a configuration, a folder and a signature of its own, at a socket and a port. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { tempFolder } from '../temp-folder.ts';

/** The content that its one signature finds. */
export const VIRUS = 'FORMSRV-TEST-VIRUS-7d1f';
export const VIRUS_NAME = 'Formsrv.Test.UNOFFICIAL';
export const MAX_STREAM_BYTES = 4 * 1024 * 1024;

export async function startClamd(program: string, folder = tempFolder()) {
	const database = join(folder, 'database');
	const socket = join(folder, 'clamd.sock');
	const port = freePort();
	mkdirSync(database, { recursive: true });
	chmodSync(folder, 0o700);
	writeFileSync(join(database, 'test.ndb'), `Formsrv.Test:0:*:${Buffer.from(VIRUS).toString('hex')}\n`);
	const config = join(folder, 'clamd.conf');
	writeFileSync(
		config,
		`Foreground yes
DatabaseDirectory ${database}
TemporaryDirectory ${folder}
LocalSocket ${socket}
TCPAddr 127.0.0.1
TCPSocket ${port}
StreamMaxLength ${MAX_STREAM_BYTES}
MaxThreads 4
User root
`,
	);
	const clamd = Bun.spawn([program, '--config-file', config], { stdout: 'pipe', stderr: 'pipe' });
	await isReady(socket, clamd);
	return {
		address: { socket },
		tcp: { host: '127.0.0.1', port },
		folder,
		/** It takes connections and does not respond, until `resume`. */
		hang: () => clamd.kill('SIGSTOP'),
		resume: () => clamd.kill('SIGCONT'),
		async stop() {
			clamd.kill('SIGKILL');
			await clamd.exited;
		},
	};
}

async function isReady(socket: string, clamd: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<void> {
	while (clamd.exitCode === null) {
		const reply = await ping(socket);
		if (reply === 'PONG') return;
		await Bun.sleep(50);
	}
	throw new Error(`clamd ended: ${await new Response(clamd.stderr).text()}`);
}

async function ping(unix: string): Promise<string> {
	const { promise, resolve } = Promise.withResolvers<string>();
	try {
		const connection = await Bun.connect({
			unix,
			socket: { data: (_, chunk) => resolve(chunk.toString().trim()), close: () => resolve('') },
		});
		connection.write('nPING\n');
		const reply = await promise;
		connection.terminate();
		return reply;
	} catch {
		return '';
	}
}
