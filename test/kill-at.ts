/** Ends the binary with SIGKILL at one system call after the other, by strace, to see what each leaves behind. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, type BinaryOptions } from './binary.ts';
import { tempFolder } from './temp-folder.ts';

/** Whatever changes a file or a name, or waits for the disk. */
const CALLS = ['openat', 'write', 'pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'link', 'rename', 'unlink'];
/** Calls, as strace shows them, after which a file system is as it was: one that failed, a sync, an open of what is there. */
const WITHOUT_CHANGE = /\) += -1 |^\d+ +f(?:data)?sync\(|^\d+ +openat\((?!.*(?:O_CREAT|O_TRUNC))/;

/** A point at which to end: at the entry of the nth call of that name. */
export interface Point {
	call: string;
	nth: number;
	/** The call that made the state. */
	after: string;
	/** As strace showed it in the run that was not cut off. */
	shown: string;
}

/**
 * Runs a command to its end and lists the points at which it could have ended, of those that concern a path which matches
 * `about`: one for each state of the files.
 */
export async function listPoints(args: string[], options: BinaryOptions & { about: RegExp }): Promise<Point[]> {
	const trace = join(tempFolder(), 'trace');
	const code = await straced(['-y', '-o', trace, '-e', `trace=${CALLS.join(',')}`], args, options);
	if (code !== 0) throw new Error(`formsrv ${args.join(' ')} ended with ${code}.`);
	const lines = readFileSync(trace, 'utf8').split('\n');
	const main = lines[0]?.split(' ')[0];
	const counts = new Map<string, number>();
	const points: Point[] = [];
	let after: string | undefined = '';
	for (const line of lines) {
		const [, thread, call = '', shown = ''] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
		if (thread === main) {
			const nth = (counts.get(call) ?? 0) + 1;
			counts.set(call, nth);
			if (after !== undefined && options.about.test(shown)) {
				points.push({ call, nth, after, shown: `${call}(${shown}` });
				after = undefined;
			}
		}
		if (call !== '' && !WITHOUT_CHANGE.test(line)) after = call;
	}
	return points;
}

/** Runs a command until it ends at that point. */
export async function killAt({ call, nth }: Point, args: string[], options: BinaryOptions): Promise<void> {
	const inject = [`trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${nth}`];
	const code = await straced(['-o', '/dev/null', '-e', ...inject], args, options);
	if (code === 0) throw new Error(`formsrv ${args.join(' ')} was not cut off at ${call} number ${nth}.`);
}

/** Runs a command on a system whose every call of that name fails. */
export async function runWithout(call: string, args: string[], options: BinaryOptions): Promise<number> {
	return straced(['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:error=EPERM`], args, options);
}

async function straced(flags: string[], args: string[], { cwd, env = {} }: BinaryOptions): Promise<number> {
	const child = Bun.spawn(['strace', '-f', ...flags, BINARY, ...args], {
		cwd,
		env,
		stdin: 'ignore',
		stdout: 'ignore',
		stderr: 'ignore',
	});
	return child.exited;
}
