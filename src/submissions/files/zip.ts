/** Pure: the parts of a ZIP archive that is written in one go, its files stored as they are (APPNOTE.TXT 6.3.10). */

export interface ZipEntry {
	path: string;
	addedAt: Date;
	bytes: number;
	crc32: number;
	/** Where it begins in the archive. */
	offset: number;
}

/** Limit of a file: the format would need longer records for larger ones. */
export const FILE_MAX_BYTES = 0xffff_fffe;

const MAX_16 = 0xffff;
const MAX_32 = 0xffff_ffff;
const PLAIN_VERSION = 20;
const ZIP64_VERSION = 45;
/** Unix, so that the mode below counts. */
const MADE_BY = (3 << 8) | ZIP64_VERSION;
/** A file that its owner may write and all may read. */
const MODE = 0o100_644 << 16;
/** The sizes follow the file; names are UTF-8. */
const FLAGS = 0x0808;
const FIRST_YEAR = 1980;

/** Returns the record before the bytes of a file. */
export function localHeader({ path, addedAt }: Pick<ZipEntry, 'path' | 'addedAt'>): Uint8Array {
	const name = Buffer.from(path);
	return record(
		[32, 0x0403_4b50],
		[16, PLAIN_VERSION],
		[16, FLAGS],
		[16, 0],
		[32, dosTime(addedAt)],
		[32, 0],
		[32, 0],
		[32, 0],
		[16, name.length],
		[16, 0],
		name,
	);
}

/** Returns the record after them. */
export function dataDescriptor({ crc32, bytes }: Pick<ZipEntry, 'crc32' | 'bytes'>): Uint8Array {
	return record([32, 0x0807_4b50], [32, crc32], [32, bytes], [32, bytes]);
}

/** The line of a file in the directory at the end. */
export function directoryEntry({ path, addedAt, crc32, bytes, offset }: ZipEntry): Uint8Array {
	const name = Buffer.from(path);
	const isFar = offset >= MAX_32;
	const extra = isFar ? record([16, 1], [16, 8], [64, offset]) : new Uint8Array();
	return record(
		[32, 0x0201_4b50],
		[16, MADE_BY],
		[16, isFar ? ZIP64_VERSION : PLAIN_VERSION],
		[16, FLAGS],
		[16, 0],
		[32, dosTime(addedAt)],
		[32, crc32],
		[32, bytes],
		[32, bytes],
		[16, name.length],
		[16, extra.length],
		[16, 0],
		[16, 0],
		[16, 0],
		[32, MODE],
		[32, Math.min(offset, MAX_32)],
		name,
		extra,
	);
}

/** The end of the archive, after the directory. */
export function endOfArchive({
	entries,
	offset,
	bytes,
}: {
	entries: number;
	offset: number;
	bytes: number;
}): Uint8Array {
	const end = record(
		[32, 0x0605_4b50],
		[16, 0],
		[16, 0],
		[16, Math.min(entries, MAX_16)],
		[16, Math.min(entries, MAX_16)],
		[32, Math.min(bytes, MAX_32)],
		[32, Math.min(offset, MAX_32)],
		[16, 0],
	);
	if (entries < MAX_16 && bytes < MAX_32 && offset < MAX_32) return end;
	return Buffer.concat([
		record(
			[32, 0x0606_4b50],
			[64, 44],
			[16, MADE_BY],
			[16, ZIP64_VERSION],
			[32, 0],
			[32, 0],
			[64, entries],
			[64, entries],
			[64, bytes],
			[64, offset],
		),
		record([32, 0x0706_4b50], [32, 0], [64, offset + bytes], [32, 1]),
		end,
	]);
}

/** Two seconds are the unit of the format, UTC our choice: it knows no zones. */
function dosTime(at: Date): number {
	const year = Math.max(0, at.getUTCFullYear() - FIRST_YEAR);
	const date = (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
	const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
	return ((date << 16) | time) >>> 0;
}

/** Little-endian numbers of so many bits, and bytes as they are. */
function record(...parts: readonly ([bits: 16 | 32 | 64, value: number] | Uint8Array)[]): Uint8Array {
	const sizes = parts.map((part) => (part instanceof Uint8Array ? part.length : part[0] / 8));
	const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0));
	let at = 0;
	for (const [index, part] of parts.entries()) {
		if (part instanceof Uint8Array) bytes.set(part, at);
		else if (part[0] === 16) bytes.writeUInt16LE(part[1], at);
		else if (part[0] === 32) bytes.writeUInt32LE(part[1] >>> 0, at);
		else bytes.writeBigUInt64LE(BigInt(part[1]), at);
		at += sizes[index] as number;
	}
	return bytes;
}
