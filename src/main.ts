/** The process: arguments in, exit code out. */

import { run } from './cli/run.ts';
import { openStandardOutput } from './cli/standard-output.ts';
import { processEnvironment } from './config.ts';

/** Time for the reader of the log to take its last lines. */
const LAST_LINES_MS = 1000;

const stdout = openStandardOutput('stdout');
const stderr = openStandardOutput('stderr');

const exitCode = await run(process.argv.slice(2), {
	stdin: () => Bun.stdin.stream(),
	stdout,
	stderr,
	env: processEnvironment(),
	cwd: process.cwd(),
});
const lost = await stdout.finished();
if (lost !== undefined) stderr.write(`The result could not be written: ${lost}\n`);
// A log without a reader is no failure, and must not delay the exit.
await Promise.race([stderr.finished(), Bun.sleep(LAST_LINES_MS)]);
process.exit(lost === undefined ? exitCode : 1);
