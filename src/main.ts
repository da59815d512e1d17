/** The process: arguments in, exit code out. */

import { run } from './cli/run.ts';
import { openStandardOutput } from './cli/standard-output.ts';
import { processEnvironment } from './config.ts';

const stdout = openStandardOutput('stdout');
const stderr = openStandardOutput('stderr');

const exitCode = await run(process.argv.slice(2), { stdout, stderr, env: processEnvironment(), cwd: process.cwd() });
const lost = await stdout.finished();
if (lost !== undefined) stderr.write(`The result could not be written: ${lost}\n`);
// When nobody takes the log any more, that is no failure.
await stderr.finished();
process.exit(lost === undefined ? exitCode : 1);
