/** Exports of other services go in and come out again, whatever is killed meanwhile: `bench/import.ts` with few rows. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { VENDORS } from '../../bench/vendor-exports.ts';
import { isOnPostgres } from '../engine.ts';

const SCRIPT = join(import.meta.dir, '../../bench/import.ts');
const TIMEOUT_MS = 300_000;
/** Several requests, so that each can be cut. */
const ROWS = '1000';
/** One of each shape, CSV and NDJSON: what is read differs, what is stored does not. On PostgreSQL these are all. */
const CUT = ['basin', 'netlify'];
const NAMES = isOnPostgres ? CUT : Object.keys(VENDORS);

test(
	'each service, once and again, is row for row as its file; near and far, killed and repeated, is one of each shape',
	async () => {
		const engine = isOnPostgres ? 'postgres' : 'sqlite';
		const options = [
			'--rows',
			ROWS,
			'--engine',
			engine,
			'--vendors',
			NAMES.join(),
			'--cut',
			CUT.join(),
			'--warm-ms',
			'0',
		];
		const child = Bun.spawn([process.execPath, SCRIPT, ...options], {
			stdin: 'ignore',
			stdout: 'pipe',
			stderr: 'pipe',
		});
		const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
		expect([code, stderr]).toEqual([0, '']);
		for (const vendor of NAMES) expect(stdout).toContain(`| ${vendor} | 1,000 |`);
	},
	TIMEOUT_MS,
);
