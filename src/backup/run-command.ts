/** Runs `formsrv backup` in a process of its own, which takes nothing from the server but time of the disk. */

import { constants, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { programCommand } from '../assets.ts';
import { type Config, environmentOf } from '../config.ts';

export interface Ended {
	code: number;
	/** The JSON that it printed, if all went well. */
	result?: Record<string, unknown>;
	/** Sentences that it said besides; may be empty. */
	remarks: string;
}

/** @param signal Ends the process. */
export async function runBackup(config: Config, signal: AbortSignal): Promise<Ended> {
	const child = Bun.spawn([...programCommand(), 'backup', '--json'], {
		env: environmentOf(config),
		stdin: 'ignore',
		stdout: 'pipe',
		stderr: 'pipe',
		signal,
		killSignal: 'SIGKILL',
	});
	try {
		setPriority(child.pid, constants.priority.PRIORITY_LOW);
	} catch {
		// It has ended already.
	}
	const [code, printed, said] = await Promise.all([child.exited, text(child.stdout), text(child.stderr)]);
	const remarks = said.trim().replaceAll('\n', ' ');
	return { code, remarks, ...(code === 0 && { result: JSON.parse(printed) }) };
}
