/** The process: arguments in, exit code out. */

import { run } from './cli/run.ts';
import { openStandardOutput } from './cli/standard-output.ts';
import { processEnvironment } from './config.ts';

/** After this the start is over. */
const START_MS = 1000;
/** How often a process looks whether it is busy: whether it took a twentieth of a processor in the last second. */
const LOOK_MS = 250;
const LOOKS = 4;
const BUSY_MICROSECONDS = 50_000;
/** Time for the reader of the log to take its last lines. */
const LAST_LINES_MS = 1000;

setTimeout(compileOnceBusy, START_MS).unref();

const stdout = openStandardOutput('stdout');
const stderr = openStandardOutput('stderr');

const exitCode = await run(process.argv.slice(2), { stdout, stderr, env: processEnvironment(), cwd: process.cwd() });
const lost = await stdout.finished();
if (lost !== undefined) stderr.write(`The result could not be written: ${lost}\n`);
// A log without a reader is no failure, and must not delay the exit.
await Promise.race([stderr.finished(), Bun.sleep(LAST_LINES_MS)]);
process.exit(lost === undefined ? exitCode : 1);

/**
 * The build delays compilation. Most code of a start runs once, and the work of a server at rest is not worth what compilers take:
 * 3 MiB for the code of the optimising one alone.
 */
function compileOnceBusy(): void {
	const lately: number[] = Array(LOOKS).fill(processorMicroseconds());
	const looks = setInterval(() => {
		const used = processorMicroseconds();
		lately.push(used);
		if (used - (lately.shift() as number) < BUSY_MICROSECONDS) return;
		Bun.unsafe.setJITPolicy(1);
		clearInterval(looks);
	}, LOOK_MS).unref();
}

function processorMicroseconds(): number {
	const { user, system } = process.cpuUsage();
	return user + system;
}
