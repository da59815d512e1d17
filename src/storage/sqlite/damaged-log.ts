/** Damage in the middle of a write-ahead log, of which SQLite says nothing: it takes the log for one that ends there. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { AppError } from '../../errors.ts';

// https://sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const LARGEST_PAGE = 65_536;

type Sum = [number, number];

interface Damage {
	/** From the beginning of the log. */
	atByte: number;
	/** Commits behind it, at least. */
	commits: number;
}

/** @throws AppError that says what to do if commits that were on disk would be lost by opening the database; nothing is changed */
export function rejectDamagedLog(file: string): void {
	const log = `${file}-wal`;
	const damage = findDamage(log);
	if (!damage) return;
	throw new AppError(
		'UNAVAILABLE',
		`${log} is damaged at byte ${damage.atByte}, and ${damage.commits} commits or more behind that cannot be read. Nothing was changed. ` +
			`Run 'formsrv restore BACKUP' with the latest backup; or copy both files to another folder, give up what cannot be read by ` +
			`'truncate -s ${damage.atByte} ${log}', and see by 'formsrv doctor' whether the rest is whole.`,
	);
}

/**
 * A power cut leaves at most one unfinished commit at the end, because the next one begins when that is on disk; and a commit that failed leaves
 * at most the rest of itself behind what was written over it. So two commits of this log in one piece behind a frame that is not valid mean
 * that the frame was valid once. A damaged header cannot be told from one that was being written.
 */
function findDamage(log: string): Damage | undefined {
	if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= HEADER_BYTES) return undefined;
	const descriptor = openSync(log, 'r');
	try {
		const header = read(descriptor, { at: 0, length: HEADER_BYTES });
		const damage = header && walk(descriptor, header);
		// Another process may have begun the log anew meanwhile.
		return damage && read(descriptor, { at: 0, length: HEADER_BYTES })?.equals(header) ? damage : undefined;
	} finally {
		closeSync(descriptor);
	}
}

function walk(descriptor: number, header: Buffer): Damage | undefined {
	const pageBytes = header.readUInt32BE(8);
	const isPage = pageBytes >= 512 && pageBytes <= LARGEST_PAGE && (pageBytes & (pageBytes - 1)) === 0;
	const sum = createSum(header);
	if (!isPage || !areEqual(sum([0, 0], header.subarray(0, 24)), pairAt(header, 24))) return undefined;
	const salts = pairAt(header, 16);
	const frameBytes = FRAME_HEADER_BYTES + pageBytes;
	const frame = Buffer.alloc(frameBytes);
	let before = pairAt(header, 24);
	let damagedAt: number | undefined;
	let commits = 0;
	for (let at = HEADER_BYTES; readSync(descriptor, frame, 0, frameBytes, at) === frameBytes; at += frameBytes) {
		const stored = pairAt(frame, 16);
		const isOurs = areEqual(pairAt(frame, 8), salts);
		const found = sum(sum(before, frame.subarray(0, 8)), frame.subarray(FRAME_HEADER_BYTES));
		before = stored;
		if (!isOurs || !areEqual(found, stored)) {
			damagedAt ??= at;
			if (commits < 2) commits = 0;
		} else if (damagedAt !== undefined && frame.readUInt32BE(4) > 0) commits++;
	}
	return damagedAt !== undefined && commits >= 2 ? { atByte: damagedAt, commits } : undefined;
}

function read(descriptor: number, { at, length }: { at: number; length: number }): Buffer | undefined {
	const bytes = Buffer.alloc(length);
	return readSync(descriptor, bytes, 0, length, at) === length ? bytes : undefined;
}

/** The checksum of some bytes behind others, whose checksum is `before`. The lowest bit of the magic number tells the order of bytes. */
function createSum(header: Buffer): (before: Sum, bytes: Buffer) => Sum {
	const isLittle = (header.readUInt32BE(0) & 1) === 0;
	return ([first, second], bytes) => {
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
		for (let i = 0; i < bytes.length; i += 8) {
			first = (first + view.getUint32(i, isLittle) + second) | 0;
			second = (second + view.getUint32(i + 4, isLittle) + first) | 0;
		}
		return [first >>> 0, second >>> 0];
	};
}

const pairAt = (bytes: Buffer, at: number): Sum => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
const areEqual = (a: Sum, b: Sum): boolean => a[0] === b[0] && a[1] === b[1];
