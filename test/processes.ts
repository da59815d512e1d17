/** The processes of this machine that a run of tests started. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface RunningProcess {
	pid: number;
	parent: number;
	command: string;
}

/** Those that work in the folder, or have it in their arguments or environment. */
export function processesOf(folder: string): RunningProcess[] {
	return runningProcesses().filter(({ pid, command }) => {
		const near = [command, read(pid, 'environ'), `${workingFolder(pid)}/`];
		return near.some((text) => text.includes(folder));
	});
}

/** The children of a process, theirs, and so on. */
export function descendantsOf(ancestor: number, all = runningProcesses()): RunningProcess[] {
	const children = all.filter(({ parent }) => parent === ancestor);
	return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}

function runningProcesses(): RunningProcess[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => {
			const pid = Number(name);
			// The name in brackets may contain spaces and brackets; what follows it does not.
			const [state = '', parent] = read(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
			const isRunning = state !== '' && !'ZX'.includes(state);
			const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
			return isRunning ? [{ pid, parent: Number(parent), command }] : [];
		});
}

/** Ends a process, unless it has ended. PostgreSQL gives its shared memory back if it may end by itself. */
export function end({ pid, command }: RunningProcess): void {
	try {
		process.kill(pid, command.includes('/bin/postgres') ? 'SIGQUIT' : 'SIGKILL');
	} catch {
		// It has ended meanwhile.
	}
}

function read(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'utf8');
	} catch {
		return '';
	}
}

function workingFolder(pid: number): string {
	try {
		return readlinkSync(`/proc/${pid}/cwd`);
	} catch {
		return '';
	}
}
