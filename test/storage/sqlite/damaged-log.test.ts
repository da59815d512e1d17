/** A write-ahead log that is damaged in its middle is rejected before anything is lost; one that a power cut left is not. */

import { beforeEach, expect, test } from 'bun:test';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { rejectDamagedLog } from '../../../src/storage/sqlite/damaged-log.ts';
import { tempFolder } from '../../temp-folder.ts';

const COMMITS = 12;
const HEADER = 32;
const FRAME = 24 + 4096;

/** A database with commits of one to several pages in its log, as a killed process leaves it. */
function leftByKill() {
	const folder = tempFolder();
	const file = join(folder, 'formsrv.db');
	const client = new BetterSqlite3(file);
	client.pragma('journal_mode = wal');
	client.pragma('wal_autocheckpoint = 0');
	client.exec('create table texts (id integer primary key, text text)');
	// Frames of an earlier log stay behind those of this one.
	for (let i = 0; i < 60; i++) client.prepare('insert into texts (text) values (?)').run('x'.repeat(3000));
	client.pragma('wal_checkpoint(restart)');
	for (let i = 0; i < COMMITS; i++)
		client.prepare('insert into texts (text) values (?)').run('y'.repeat(500 + (i % 3) * 5000));
	const copy = join(folder, 'copy.db');
	copyFileSync(file, copy);
	copyFileSync(`${file}-wal`, `${copy}-wal`);
	client.close();
	const log = readFileSync(`${copy}-wal`);
	const salts = log.subarray(16, 24);
	/** For each frame of this log, whether it ends a commit. */
	const ends: boolean[] = [];
	for (let at = HEADER; at + FRAME <= log.length && log.subarray(at + 8, at + 16).equals(salts); at += FRAME)
		ends.push(log.readUInt32BE(at + 4) > 0);
	return { copy, log, ends };
}

let copy: string;
let log: Buffer;
let ends: boolean[];
beforeEach(() => {
	({ copy, log, ends } = leftByKill());
});

function problemOf(bytes: Buffer): string | undefined {
	writeFileSync(`${copy}-wal`, bytes);
	try {
		rejectDamagedLog(copy);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

function commitsIn(bytes: Buffer): number {
	writeFileSync(`${copy}-wal`, bytes);
	const client = new BetterSqlite3(copy, { readonly: true });
	const found = client.prepare("select count(*) from texts where text like 'y%'").pluck().get() as number;
	client.close();
	return found;
}

test('any changed byte with two commits behind it is rejected, and as many commits as are said can be kept', () => {
	expect(ends.filter(Boolean).length).toBe(COMMITS);
	expect(log.length).toBeGreaterThan(HEADER + (ends.length + 5) * FRAME);
	fc.assert(
		fc.property(fc.nat(ends.length - 1), fc.nat(FRAME - 1), fc.integer({ min: 1, max: 255 }), (frame, byte, change) => {
			const bytes = Buffer.from(log);
			const at = HEADER + frame * FRAME;
			bytes[at + byte] = (bytes[at + byte] ?? 0) ^ change;
			const behind = ends.slice(frame + 1).filter(Boolean).length;
			const problem = problemOf(bytes);
			// With its checksum or salts changed, the frame behind does not follow from it either.
			if (byte >= 8 && byte < 24 ? behind > 3 : behind >= 2) expect(problem).toContain(`is damaged at byte ${at},`);
			if (behind < 2) expect(problem).toBeUndefined();
			if (problem === undefined) return;
			expect(commitsIn(bytes.subarray(0, at))).toBe(commitsIn(bytes));
			expect(problemOf(bytes.subarray(0, at))).toBeUndefined();
		}),
		{ numRuns: 40 },
	);
}, 60_000);

test('the end that a power cut leaves is none, wherever it cut and whichever pages of the last commit it lost', () => {
	expect(problemOf(log)).toBeUndefined();
	fc.assert(
		fc.property(fc.nat(log.length), fc.array(fc.boolean(), { minLength: 8 }), (length, kept) => {
			expect(problemOf(log.subarray(0, length))).toBeUndefined();
			const bytes = Buffer.from(log);
			const lastBegins = ends.lastIndexOf(true, ends.length - 2) + 1;
			for (let frame = lastBegins; frame < ends.length; frame++)
				if (!kept[frame - lastBegins]) bytes.fill(0, HEADER + frame * FRAME, HEADER + (frame + 1) * FRAME);
			expect(problemOf(bytes)).toBeUndefined();
		}),
		{ numRuns: 40 },
	);
	truncateSync(`${copy}-wal`, 0);
	rejectDamagedLog(copy);
	rejectDamagedLog(join(tempFolder(), 'none.db'));
}, 60_000);
