/** Waits, as a process of its own, for the end of a run of tests; then ends what they left running, and removes their folder. */

import { readFileSync, readSync, rmSync } from 'node:fs';
import { end, processesOf } from './processes.ts';

const ENDED_WITHIN_MS = 5000;
const [, , folder = ''] = process.argv;
const left = () => processesOf(folder).filter(({ pid }) => pid !== process.pid);

while (readSync(0, new Uint8Array(1)) > 0);
const deadline = performance.now() + ENDED_WITHIN_MS;
do {
	for (const one of left()) end(one);
	await Bun.sleep(20);
} while (left().length > 0 && performance.now() < deadline);
for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
	const [, place = ''] = line.split(' ');
	if (place.startsWith(`${folder}/`)) Bun.spawnSync(['umount', '-l', place]);
}
rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
