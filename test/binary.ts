/** The compiled binary for tests: started in a folder of its own, on free ports of the loopback address. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { descendantsOf, end } from './processes.ts';

export const BINARY = join(import.meta.dir, '..', 'dist', 'formsrv');

const START_WITHIN_MS = 10_000;
const FREE_PORTS = { FORMSRV_PORT: '0', FORMSRV_SUBMIT_PORT: '0' };

/** A server that is still running when its test is over, as it may be if that failed, is killed. */
export interface RunningBinary extends AsyncDisposable {
	/** Process id of the program that it runs under, if there is one. */
	pid: number;
	baseUrl: string;
	submitUrl: string;
	/** Sends a signal and resolves with the exit code once the process is gone. */
	end(signal: NodeJS.Signals): Promise<number>;
}

export interface BinaryOptions {
	cwd: string;
	env?: Record<string, string>;
	/** Another build of the program. */
	program?: string;
	/** The open file for what it logs. */
	stderr?: number;
	/** Runs it under another program, such as a tracer. */
	prefix?: string[];
	/** Killed if it does not listen by then. */
	startWithinMs?: number;
}

/** Runs a command to its end. */
export async function runBinary(args: string[], { cwd, env = {}, program = BINARY }: BinaryOptions) {
	const child = Bun.spawn([program, ...args], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
	const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
	return { stdout, stderr, code };
}

/** Runs `formsrv serve` and resolves once it says that it accepts connections. */
export async function startBinary(options: BinaryOptions): Promise<RunningBinary> {
	const { cwd, env = {}, program = BINARY, stderr, prefix = [], startWithinMs = START_WITHIN_MS } = options;
	const child = Bun.spawn([...prefix, program, 'serve'], {
		cwd,
		env: { ...FREE_PORTS, ...env },
		stdin: 'ignore',
		stdout: 'pipe',
		stderr: stderr ?? Bun.file('/dev/null'),
	});
	const timer = setTimeout(() => child.kill('SIGKILL'), startWithinMs);
	const addresses = await readAddresses(child.stdout);
	clearTimeout(timer);
	return {
		...addresses,
		pid: child.pid,
		async end(signal) {
			if (prefix.length === 0) child.kill(signal);
			else process.kill(onlyChildOf(child.pid), signal);
			return child.exited;
		},
		async [Symbol.asyncDispose]() {
			for (const one of descendantsOf(child.pid)) end(one);
			child.kill('SIGKILL');
			await child.exited;
		},
	};
}

/** A tracer does not pass signals on, so they go to what it traces. */
function onlyChildOf(pid: number): number {
	return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
}

async function readAddresses(stdout: ReadableStream<Uint8Array>) {
	const decoder = new TextDecoder();
	let printed = '';
	for await (const chunk of stdout) {
		printed += decoder.decode(chunk, { stream: true });
		const base = /^base +(\S+)$/m.exec(printed)?.[1];
		const submit = /^submit +(\S+)\n/m.exec(printed)?.[1];
		if (base && submit) return { baseUrl: base, submitUrl: submit };
	}
	throw new Error(`The server ended without listening; it printed: ${printed}`);
}
