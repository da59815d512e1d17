/** `bun run test`: builds the program, runs all tests, and lists the programs that this machine lacks for some of them. */

import { findChromium } from '../test/chromium.ts';
import { missingPrograms } from '../test/programs.ts';

/** Of each test and hook: a busy machine is slow, and bunfig.toml cannot say it. */
const TIMEOUT_MS = 30_000;

const built = await Bun.$`bun run build`.nothrow();
if (built.exitCode !== 0) process.exit(built.exitCode);
// Unpacked before the tests, which have time limits.
await findChromium();
const { exitCode } = await Bun.$`bun test --timeout ${TIMEOUT_MS} ${process.argv.slice(2)}`.nothrow();
for (const line of missingPrograms()) console.error(line);
process.exitCode = exitCode;
