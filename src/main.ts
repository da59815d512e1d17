/** The process: arguments in, exit code out. */

import { run } from './cli/run.ts';
import { openStandardOutput } from './cli/standard-output.ts';
import { processEnvironment } from './config.ts';

/** By then a server has answered; what still runs is worth compiling. */
const START_MS = 250;
/** For whoever reads the log to take its last lines. */
const LAST_LINES_MS = 1000;

// The build sets how slow the engine is to compile, because little of what a start runs is run again.
setTimeout(() => Bun.unsafe.setJITPolicy(1), START_MS).unref();

const stdout = openStandardOutput('stdout');
const stderr = openStandardOutput('stderr');

const exitCode = await run(process.argv.slice(2), { stdout, stderr, env: processEnvironment(), cwd: process.cwd() });
const lost = await stdout.finished();
if (lost !== undefined) stderr.write(`The result could not be written: ${lost}\n`);
// When nobody takes the log any more, that is no failure, and not waited for.
await Promise.race([stderr.finished(), Bun.sleep(LAST_LINES_MS)]);
process.exit(lost === undefined ? exitCode : 1);
