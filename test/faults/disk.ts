/** The simulated disk: `disk.c` under the binary, and what it recorded. */

import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As in `disk.c`, in its order: what fails, in calls of a million. */
export const FAULTS = [
	'write fails',
	'no room',
	'write ends early',
	'write interrupted',
	'sync fails',
	'name fails',
	'read fails',
] as const;
export type Fault = (typeof FAULTS)[number];
export type Rates = Partial<Record<Fault, number>>;

/** In numbers of 64 bits from the beginning of the recording. */
const HEADER = { tail: 0, random: 2, killIn: 3, syncUs: 4, unsupported: 5, rates: 6, counts: 6 + FAULTS.length };
const RECORDS_FROM = 4096;
const RECORD_BYTES = 32;
/** It takes no room on the real disk until it is written. */
const CAPACITY = 512 * 1024 * 1024;

/** As in `disk.c`, from 1 on. */
const TYPES = ['write', 'truncate', 'sync begun', 'sync ended', 'create', 'make folder', 'rename', 'unlink'] as const;

export interface DiskRecord {
	/** Where it begins in the recording. */
	at: number;
	type: (typeof TYPES)[number];
	inode: number;
	/** Offset of what is written, size, or the number of a sync. */
	number: number;
	hasFailed: boolean;
	/** Content, or one or two names with a NUL behind each. */
	bytes: Uint8Array;
}

let library: string | undefined;

/** Compiles it, once for a run of tests. */
function builtLibrary(): string {
	if (library) return library;
	const built = join(tmpdir(), `fault-disk-${process.pid}.so`);
	const source = join(import.meta.dir, 'disk.c');
	const { exitCode, stderr } = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-Wall', '-o', built, source]);
	if (exitCode !== 0) throw new Error(`disk.c: ${stderr}`);
	library = built;
	return built;
}

export type Disk = ReturnType<typeof openDisk>;

/** @param folder What is on the disk. @param recording A new file. */
export function openDisk({ folder, recording, seed }: { folder: string; recording: string; seed: number }) {
	const file = openSync(recording, 'wx+');
	ftruncateSync(file, CAPACITY);
	closeSync(file);
	const bytes = Bun.mmap(recording);
	const header = new BigUint64Array(bytes.buffer, bytes.byteOffset, RECORDS_FROM / 8);
	header[HEADER.random] = BigInt(seed);
	const read = (index: number) => Number(header[index]);

	return {
		env: { LD_PRELOAD: builtLibrary(), FAULT_DISK_ROOT: folder, FAULT_DISK_RECORDING: recording },
		/** All that was recorded until now is in front of it. */
		position: () => read(HEADER.tail),
		setRates(rates: Rates): void {
			for (const [i, fault] of FAULTS.entries()) header[HEADER.rates + i] = BigInt(rates[fault] ?? 0);
		},
		/** A sync takes up to so long. */
		setSyncTime(micros: number): void {
			header[HEADER.syncUs] = BigInt(micros);
		},
		/** Kills the process inside the call after so many others; a write may be done in part. */
		killIn(calls: number): void {
			header[HEADER.killIn] = BigInt(calls);
		},
		faults: () => FAULTS.map((fault, i) => [fault, read(HEADER.counts + i)] as const),
		*records(): Generator<DiskRecord> {
			const reason = read(HEADER.unsupported);
			if (reason > 0)
				throw new Error(reason === 1 ? 'The recording is full.' : `disk.c does not know system call ${reason}.`);
			const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
			for (let at = RECORDS_FROM; at < read(HEADER.tail); ) {
				const length = view.getUint32(at + 4, true);
				const begin = at + RECORD_BYTES;
				yield {
					at,
					type: TYPES[view.getUint32(at, true) - 1] as DiskRecord['type'],
					inode: Number(view.getBigUint64(at + 8, true)),
					number: Number(view.getBigUint64(at + 16, true)),
					hasFailed: view.getBigUint64(at + 24, true) !== 0n,
					bytes: bytes.subarray(begin, begin + length),
				};
				at = begin + Math.ceil(length / 8) * 8;
			}
		},
	};
}
