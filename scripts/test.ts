/** `bun run test`: builds the program, runs all tests on it, and says what this machine has no programs to test with. */

import { findChromium } from '../test/chromium.ts';
import { missingPrograms } from '../test/programs.ts';

const built = await Bun.$`bun run build`.nothrow();
if (built.exitCode !== 0) process.exit(built.exitCode);
// Unpacked before the tests, whose time is bounded.
await findChromium();
const { exitCode } = await Bun.$`bun test ${process.argv.slice(2)}`.nothrow();
for (const line of missingPrograms()) console.error(line);
process.exitCode = exitCode;
