/** Reads an archive: finds its manifest from the end, and with it every other byte. */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { NamedFile } from '../storage/database.ts';
import { BLOCK_BYTES, DATABASE, END_BYTES, headerOf, keyIn, MANIFEST, paddingAfter, spaceOf } from './layout.ts';
import { type Heading, type Member, parseHeading, parseLast, parseMember, UnusableArchive } from './manifest.ts';

const PIECE_BYTES = 1024 * 1024;
/** Longer than the last line, its padding and the end. */
const TAIL_BYTES = 4096;
const NEWLINE = 10;

/** A member and where its header begins. */
export interface Placed extends Member {
	at: number;
}

export type Archive = ReturnType<typeof openArchive>;

/** Returns whether a file is to be read as an archive, and not as a database. */
export function isArchive(path: string): boolean {
	if (/\.tar$/i.test(path)) return true;
	const fd = openSync(path, 'r');
	try {
		const block = Buffer.alloc(BLOCK_BYTES);
		readSync(fd, block, 0, BLOCK_BYTES, 0);
		return block.toString('latin1', 257, 262) === 'ustar';
	} finally {
		closeSync(fd);
	}
}

/** @throws UnusableArchive if it is none, or its manifest was changed; then nothing else can be checked */
export function openArchive(path: string) {
	if (!isArchive(path))
		throw new UnusableArchive('It is no archive; "formsrv backup verify" checks copies of a database alone.');
	const fd = openSync(path, 'r');
	try {
		return readManifest(fd);
	} catch (error) {
		closeSync(fd);
		throw error;
	}
}

function readManifest(fd: number) {
	const { size } = fstatSync(fd);

	/** The pieces of a part of the archive. Each may be used until the next one is asked for. */
	function* pieces(start: number, end: number): Generator<Uint8Array> {
		const buffer = new Uint8Array(Math.min(PIECE_BYTES, Math.max(0, end - start)));
		for (let at = start; at < end; ) {
			const read = readSync(fd, buffer, 0, Math.min(buffer.length, end - at), at);
			if (read === 0) throw new UnusableArchive(`The archive ends at byte ${at}.`);
			yield buffer.subarray(0, read);
			at += read;
		}
	}

	/** All of a part, which must be small. */
	const bytesOf = (start: number, end: number) =>
		Buffer.concat([...pieces(start, end)].map((piece) => Buffer.from(piece)));

	function* lines(start: number, end: number): Generator<string> {
		let rest = '';
		for (const piece of pieces(start, end)) {
			const parts = (rest + Buffer.from(piece).toString('latin1')).split('\n');
			rest = parts.pop() ?? '';
			yield* parts;
		}
	}

	const manifest = locate();
	const heading = readHeading();

	function locate(): { at: number; linesEnd: number; bytes: number } {
		const tail = bytesOf(Math.max(0, size - TAIL_BYTES), size);
		const end = tail.lastIndexOf(NEWLINE);
		const start = tail.lastIndexOf(NEWLINE, end - 1) + 1;
		const sum = end > 0 ? parseLast(tail.toString('latin1', start, end)) : undefined;
		if (!sum)
			throw new UnusableArchive(`The end of the archive is not as it was written: ${MANIFEST} is cut off or changed.`);
		const bytes = sum.bytes + (end - start) + 1;
		const at = size - END_BYTES - spaceOf(bytes);
		const linesEnd = at + BLOCK_BYTES + sum.bytes;
		const isRight =
			at >= 0 && linesEnd === size - tail.length + start && sha256Of(at + BLOCK_BYTES, linesEnd) === sum.sha256;
		if (!isRight) throw new UnusableArchive(`${MANIFEST} is changed, so nothing can be said of the other members.`);
		return { at, linesEnd, bytes };
	}

	function sha256Of(start: number, end: number): string {
		const hash = new Bun.CryptoHasher('sha256');
		for (const piece of pieces(start, end)) hash.update(piece);
		return hash.digest('hex');
	}

	function readHeading(): Heading {
		for (const line of lines(manifest.at + BLOCK_BYTES, manifest.linesEnd)) return parseHeading(line);
		throw new UnusableArchive(`${MANIFEST} is empty.`);
	}

	/** All that the archive has, in order, the manifest apart. */
	function* members(): Generator<Placed> {
		let at = 0;
		let index = 0;
		for (const line of lines(manifest.at + BLOCK_BYTES, manifest.linesEnd)) {
			// The first line is the heading.
			if (index > 0) {
				const member = parseMember(line);
				if (member.name === DATABASE && index > 1) {
					throw new UnusableArchive(`${DATABASE} is not the first member, or not the only one of its name.`);
				}
				yield { ...member, at };
				if (member.sha256 !== null) at += spaceOf(member.bytes);
			}
			index++;
		}
	}

	/** Those attached files that it has. */
	function* files(): Generator<NamedFile> {
		for (const { name, bytes, sha256 } of members()) {
			const key = keyIn(name);
			if (key !== undefined && sha256 !== null) yield { key, bytes, sha256 };
		}
	}

	const isZero = (start: number, end: number) => bytesOf(start, end).every((byte) => byte === 0);
	const contentOf = ({ at, bytes }: Placed) => pieces(at + BLOCK_BYTES, at + BLOCK_BYTES + bytes);

	function isFramed({ name, at, bytes }: Pick<Placed, 'name' | 'at' | 'bytes'>): boolean {
		const end = at + BLOCK_BYTES + bytes;
		const header = bytesOf(at, at + BLOCK_BYTES);
		return header.equals(headerOf(name, bytes, heading.madeAt)) && isZero(end, end + paddingAfter(bytes));
	}

	return {
		heading,
		members,
		contentOf,
		/** False for one of PostgreSQL, which holds the attached files alone. */
		hasDatabase(): boolean {
			for (const { name } of members()) return name === DATABASE;
			return false;
		},
		files,
		countFiles(): number {
			let count = 0;
			for (const _ of files()) count++;
			return count;
		},
		/**
		 * Checks every byte, and returns sentences, one for each changed member.
		 * @param report Is called with the part that is done, from 0 to 1.
		 */
		verify(report: (share: number) => void): string[] {
			const problems: string[] = [];
			const claim = (name: string, isRight: boolean) => void (isRight || problems.push(`${name} is changed.`));
			let end = 0;
			for (const member of members()) {
				const { name, at, bytes, sha256 } = member;
				if (sha256 === null) continue;
				end = at + spaceOf(bytes);
				if (end > manifest.at) break;
				const isRight = isFramed(member) && sha256Of(at + BLOCK_BYTES, at + BLOCK_BYTES + bytes) === sha256;
				claim(name, isRight);
				report(end / size);
			}
			if (end !== manifest.at) problems.push('The archive has more or fewer bytes than its manifest says.');
			claim(MANIFEST, isFramed({ ...manifest, name: MANIFEST }));
			claim('The end of the archive', isZero(size - END_BYTES, size));
			report(1);
			return problems;
		},
		[Symbol.dispose]: () => closeSync(fd),
	};
}
