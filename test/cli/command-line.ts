/** A command line in a folder of its own, gone after the test: runs commands in this process and keeps what they print. */

import { join } from 'node:path';
import type { ExitCode, Io } from '../../src/cli/cli.ts';
import { run } from '../../src/cli/run.ts';
import { tempFolder } from '../temp-folder.ts';

export interface Outcome {
	code: ExitCode;
	stdout: string;
	stderr: string;
}

export function openCommandLine() {
	const cwd = tempFolder();
	const env: Io['env'] = {};

	async function call(...argv: string[]): Promise<Outcome> {
		const out: string[] = [];
		const err: string[] = [];
		const code = await run(argv, {
			stdout: { write: (text) => out.push(Buffer.from(text).toString()) },
			stderr: { write: (text) => err.push(Buffer.from(text).toString()) },
			env,
			cwd,
		});
		return { code, stdout: out.join(''), stderr: err.join('') };
	}

	return {
		cwd,
		env,
		path: (...segments: string[]) => join(cwd, ...segments),
		call,
		/** The result of a command that has to work, read as JSON. */
		async json(...argv: string[]) {
			const { code, stdout, stderr } = await call(...argv, '--json');
			if (code !== 0) throw new Error(`formsrv ${argv.join(' ')} ended with ${code}: ${stderr}`);
			return JSON.parse(stdout);
		},
	};
}

export type CommandLine = ReturnType<typeof openCommandLine>;
