/** Programs under test: starts them, reads their resource use, ends them. */

import { openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { lazy } from '../src/tasks/lazy.ts';
import { openRunFolder } from '../test/run-folder.ts';

/** Clock ticks of /proc, which Linux fixes at 100 for user space. */
const TICKS_PER_SECOND = 100;
const START_TIMEOUT_MS = 15_000;
/** Below this share of a core for this long, a program is idle. */
const IDLE_SHARE = 0.03;
const IDLE_MS = 1000;
const LONGEST_WORK_MS = 60_000;
const FREE_PORT = '0';

export interface Running {
	pid: number;
	/** The address of its base listener. */
	url: string;
	/** From the start of the process to its first response, in milliseconds. */
	startMs: number;
	/** Processor time of all its threads so far, in seconds. */
	cpuSeconds(): Promise<number>;
	memory(): ReturnType<typeof memory>;
	/** Resolves when the process has ended, for any reason. */
	ended: Promise<unknown>;
	/** Stops the process (SIGSTOP), so that its background work does not disturb another measurement. */
	pause(): void;
	resume(): void;
	/** Resolves when background work such as indexing is done, or after so long: a minute unless said. */
	untilIdle(withinMs?: number): Promise<void>;
	stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface StartOptions {
	env?: Record<string, string>;
	cwd?: string;
	/** The file for its standard error. */
	log: string;
	/** The line that it prints once it listens; the first group is its address. */
	address?: RegExp;
	/** A path that responds without a key. */
	health?: string;
}

/** Whatever has it in its environment is ended with this process, however that ends. */
export const runFolder = lazy(() => openRunFolder().path);

/** Starts a program and waits for its first response. */
export async function start(command: string[], options: StartOptions): Promise<Running> {
	const { env = {}, cwd, log, address = /^base +(http\S+)/, health = '/health' } = options;
	const began = performance.now();
	const child = Bun.spawn(command, {
		cwd,
		env: {
			PATH: process.env.PATH ?? '',
			TMPDIR: runFolder(),
			FORMSRV_PORT: FREE_PORT,
			FORMSRV_SUBMIT_PORT: FREE_PORT,
			...env,
		},
		stdin: 'ignore',
		stdout: 'pipe',
		stderr: openSync(log, 'a'),
	});
	const lines = readLines(child.stdout);
	const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
	const url = await lines.find(address);
	if (!url) throw new Error(`${command.join(' ')} did not start; see ${log}`);
	await firstResponse(url + health);
	const startMs = performance.now() - began;
	clearTimeout(timer);
	lines.discardRest();
	const running: Running = {
		pid: child.pid,
		url,
		startMs,
		cpuSeconds: () => cpuSeconds(child.pid),
		memory: () => memory(child.pid),
		ended: child.exited,
		pause: () => child.kill('SIGSTOP'),
		resume: () => child.kill('SIGCONT'),
		untilIdle: (withinMs = LONGEST_WORK_MS) => untilIdle(child.pid, withinMs),
		async stop(signal = 'SIGTERM') {
			child.kill('SIGCONT');
			child.kill(signal);
			await child.exited;
		},
	};
	return running;
}

/** Some programs print their address just before they listen. */
async function firstResponse(url: string): Promise<void> {
	const deadline = performance.now() + START_TIMEOUT_MS;
	for (;;) {
		try {
			await (await fetch(url)).bytes();
			return;
		} catch (error) {
			if (performance.now() > deadline) throw error;
			await Bun.sleep(1);
		}
	}
}

function readLines(stream: ReadableStream<Uint8Array>) {
	const reader = stream.getReader();
	const decoder = new TextDecoder();
	let text = '';
	return {
		/** The first group of the first line that matches; `undefined` if the program ends before it. */
		async find(pattern: RegExp): Promise<string | undefined> {
			const multiline = new RegExp(pattern.source, 'm');
			for (;;) {
				const found = multiline.exec(text);
				if (found) return found[1];
				const { value, done } = await reader.read();
				if (done) return undefined;
				text += decoder.decode(value, { stream: true });
			}
		},
		/** Keeps the pipe from filling up. */
		discardRest(): void {
			void (async () => {
				while (!(await reader.read()).done);
			})();
		},
	};
}

async function cpuSeconds(pid: number): Promise<number> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
	// The second field, the name, may contain spaces; the fields after its bracket do not.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the CPU seconds of a database server's processes, including those that have ended. */
export function databaseSeconds(postmaster: number): number {
	const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
	const nanoseconds = children.map((pid) => {
		try {
			return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
		} catch {
			return 0;
		}
	});
	const stat = readFileSync(`/proc/${postmaster}/stat`, 'utf8');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const ended = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
	return ended + nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

async function untilIdle(pid: number, withinMs: number): Promise<void> {
	const deadline = performance.now() + withinMs;
	let before = await cpuSeconds(pid);
	while (performance.now() < deadline) {
		await Bun.sleep(IDLE_MS);
		const now = await cpuSeconds(pid);
		if ((now - before) * 1000 < IDLE_MS * IDLE_SHARE) return;
		before = now;
	}
}

/** Resident memory in MiB: now, the anonymous part, and the peak. */
export async function memory(pid: number): Promise<{ rss: number; anonymous: number; peak: number }> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
	return { rss: mebibytes('VmRSS'), anonymous: mebibytes('RssAnon'), peak: mebibytes('VmHWM') };
}
