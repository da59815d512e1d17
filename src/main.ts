/** The process: arguments in, exit code out. */

import { run } from './cli/run.ts';
import { processEnvironment } from './config.ts';

const { stdout, stderr } = process;
let lost: string | undefined;

// A reader that has seen enough, such as `head`, is no failure; a full disk is.
stdout.on('error', (error: NodeJS.ErrnoException) => {
	if (error.code !== 'EPIPE') lost = error.message;
});
// When nobody takes the log any more, the server goes on without.
stderr.on('error', () => {});

const exitCode = await run(process.argv.slice(2), { stdout, stderr, env: processEnvironment(), cwd: process.cwd() });
await written(stdout);
if (lost !== undefined) stderr.write(`The result could not be written: ${lost}\n`);
await written(stderr);
process.exit(lost === undefined ? exitCode : 1);

/** Resolves once everything given to the stream is out, or known to be lost. */
function written(stream: NodeJS.WriteStream): Promise<void> {
	return new Promise((resolve) => stream.write('', () => setImmediate(resolve)));
}
