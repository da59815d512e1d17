/** A clock under the binary, by `clock.c`: time passes when the test says so, and the clock of the machine is set. */

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lazy } from '../src/tasks/lazy.ts';

/** Compiled once for a run of tests. */
const library = lazy(() => {
	const built = join(tmpdir(), `clock-${process.pid}.so`);
	const source = join(import.meta.dir, 'clock.c');
	const { exitCode, stderr } = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-Wall', '-o', built, source]);
	if (exitCode !== 0) throw new Error(`clock.c: ${stderr}`);
	return built;
});

/** @param file A new one, for the process to read. */
export function openClock(file: string) {
	const seconds = new BigInt64Array(2);
	writeFileSync(file, new Uint8Array(seconds.buffer));
	const mapped = Bun.mmap(file);
	const put = () => mapped.set(new Uint8Array(seconds.buffer));
	return {
		/** For the binary. */
		env: { LD_PRELOAD: library(), CLOCK_FILE: file },
		/** Lets time pass. */
		pass(s: number): void {
			seconds[0] = (seconds[0] ?? 0n) + BigInt(s);
			put();
		},
		/** Sets the clock forward, or back. */
		set(s: number): void {
			seconds[1] = (seconds[1] ?? 0n) + BigInt(s);
			put();
		},
	};
}
