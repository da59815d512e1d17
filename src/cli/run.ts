/** Runs a command line and returns its exit code; every error becomes a sentence. */

import { ConfigError } from '../config.ts';
import { AppError } from '../errors.ts';
import { printable } from '../log/line-text.ts';
import { Unavailable } from '../storage/errors.ts';
import { type Cli, CommandError, createCli, type ExitCode, type Io } from './cli.ts';

/**
 * Runs one command.
 * @param argv The arguments after the program's name.
 * @returns 0 = done, 1 = failed, 2 = wrong usage; stderr has the reason.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
	const cli = createCli(io);
	try {
		return await call(cli, argv);
	} catch (error) {
		const { sentences, exitCode } = explain(error, argv);
		for (const sentence of sentences) io.stderr.write(`${printable(sentence)}\n`);
		return exitCode;
	}
}

async function call(cli: Cli, argv: readonly string[]): Promise<ExitCode> {
	// The usual call of a service needs no parser, which would take a tenth of the time to the first response.
	if (argv.length === 1 && argv[0] === 'serve') {
		await (await import('./serve.ts')).serve(cli, {});
		return cli.exitCode;
	}
	return (await import('./program.ts')).runProgram(cli, argv);
}

function explain(error: unknown, argv: readonly string[]): { sentences: string[]; exitCode: ExitCode } {
	if (error instanceof ConfigError) return { sentences: error.problems, exitCode: 2 };
	if (error instanceof CommandError) return { sentences: [error.message], exitCode: error.exitCode };
	if (error instanceof AppError) {
		const fields = error.details.fields?.map(({ message }) => message) ?? [];
		const isUsage = error.code === 'VALIDATION_ERROR';
		// An operator is told what a visitor is not.
		if (error instanceof Unavailable && error.cause instanceof Error)
			return { sentences: [`${error.message} The reason: ${error.cause.message}.`], exitCode: 1 };
		return { sentences: fields.length > 0 ? fields : [error.message], exitCode: isUsage ? 2 : 1 };
	}
	return { sentences: [error instanceof Error ? systemSentence(error, argv) : String(error)], exitCode: 1 };
}

/** Calls of the system whose names are no words. */
const WORDS = new Map([
	['scandir', 'read'],
	['rm', 'remove'],
	['unlink', 'remove'],
]);
const DENIED = /^E(?:ACCES|PERM)$/;

/** `ENOSPC: no space left on device, mkdir '/srv/data'` → `Cannot mkdir /srv/data: no space left on device.` */
function systemSentence({ message }: Error, argv: readonly string[]): string {
	const [, code = '', reason, call = '', path = ''] = /^(E[A-Z0-9]+): (.+), (\w+)(?: '(.*)')?$/s.exec(message) ?? [];
	if (reason === undefined) return message;
	const sentence = `Cannot ${[WORDS.get(call) ?? call, path].filter(Boolean).join(' ')}: ${reason}.`;
	const isElsewhere = argv.some((argument) => argument.startsWith('--server'));
	if (!DENIED.test(code) || isElsewhere) return sentence;
	return `${sentence} Run this as the user who may, such as that of the server.`;
}
