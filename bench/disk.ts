/** The sync time of the disk: the part of a durable submission that no program can save. */

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WORK } from './product.ts';
import { short } from './report.ts';

const SYNCS = 500;
const PAGE = Buffer.alloc(4096, 1);

/** Appends pages to a file with a sync each, as a write-ahead log does. @returns a sentence with the figures */
export async function describeSync(when: string): Promise<string> {
	const path = join(WORK, 'sync');
	const file = openSync(path, 'w');
	const times: number[] = [];
	for (let i = 0; i < SYNCS; i++) {
		const began = performance.now();
		writeSync(file, PAGE);
		fdatasyncSync(file);
		times.push(performance.now() - began);
	}
	closeSync(file);
	await rm(path);
	times.sort((a, b) => a - b);
	const quantile = (q: number) => `${short(times[Math.floor(SYNCS * q)] ?? Number.NaN)} ms`;
	return `The disk ${when}: a page of 4 KiB written and synced in ${quantile(0.5)} (median), ${quantile(0.99)} (99th percentile).`;
}
