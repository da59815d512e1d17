/** A command line in a folder of its own, gone after the test: runs commands in this process and keeps what they print. */

import { join } from 'node:path';
import type { ExitCode, Io } from '../../src/cli/cli.ts';
import { run } from '../../src/cli/run.ts';
import { loadConfig } from '../../src/config.ts';
import { databaseSettings } from '../engine.ts';
import { tempFolder } from '../temp-folder.ts';

export interface Outcome {
	code: ExitCode;
	stdout: string;
	stderr: string;
}

/** Returns whether the test names its database itself. */
const isFound = (env: Io['env']) => 'FORMSRV_DATABASE_URL' in env;

export function openCommandLine(cwd = tempFolder(), env: Io['env'] = {}) {
	const call = (...argv: string[]) => runIt(argv, false);

	async function runIt(argv: string[], isTTY: boolean): Promise<Outcome> {
		if (!isFound(env)) Object.assign(env, await databaseSettings(cwd));
		const out: string[] = [];
		const err: string[] = [];
		const code = await run(argv, {
			stdout: { write: (text) => out.push(Buffer.from(text).toString()) },
			stderr: { write: (text) => err.push(Buffer.from(text).toString()), isTTY },
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
		/** The settings of a server on the same database, after the first command. */
		config: () => loadConfig({ env, flags: {}, cwd, isTerminal: false }),
		onTerminal: (...argv: string[]) => runIt(argv, true),
		/** The result of a command that has to work, read as JSON. */
		async json(...argv: string[]) {
			const { code, stdout, stderr } = await call(...argv, '--json');
			if (code !== 0) throw new Error(`formsrv ${argv.join(' ')} ended with ${code}: ${stderr}`);
			return JSON.parse(stdout);
		},
	};
}

export type CommandLine = ReturnType<typeof openCommandLine>;
