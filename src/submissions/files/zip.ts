/** Pure: the parts of a ZIP archive that is written in one go, its files stored as they are or deflated (APPNOTE.TXT 6.3.10). */

interface ZipEntry {
	path: string;
	addedAt: Date;
	bytes: number;
	/** As many as lie in the archive, if it is deflated. */
	deflatedBytes?: number | undefined;
	crc32: number;
	/** Where it begins in the archive. */
	offset: number;
}

/** Limit of a file: the format would need longer records for larger ones. */
export const FILE_MAX_BYTES = 0xffff_fffe;

const STORED = 0;
const DEFLATED = 8;
const MAX_16 = 0xffff;
const MAX_32 = 0xffff_ffff;
const PLAIN_VERSION = 20;
const ZIP64_VERSION = 45;
/** Unix, so that the mode below counts. */
const MADE_BY = (3 << 8) | ZIP64_VERSION;
/** A file that its owner may write and all may read. */
const MODE = 0o100_644 * 2 ** 16;
/** The sizes follow the file; names are UTF-8. */
const FLAGS = 0x0808;
const FIRST_YEAR = 1980;

/** Returns the record before the bytes of a file. */
export function localHeader({
	isDeflated,
	...entry
}: Pick<ZipEntry, 'path' | 'addedAt'> & { isDeflated?: boolean }): Buffer {
	const unknown = { bytes: 0, crc32: 0, deflatedBytes: isDeflated ? 0 : undefined };
	const description = describe({ ...entry, ...unknown }, { version: PLAIN_VERSION, extraBytes: 0 });
	return Buffer.concat([pack('4', 0x0403_4b50), description, Buffer.from(entry.path)]);
}

/** Returns the record after them. */
export function dataDescriptor({
	crc32,
	bytes,
	deflatedBytes,
}: Pick<ZipEntry, 'crc32' | 'bytes' | 'deflatedBytes'>): Buffer {
	return pack('4444', 0x0807_4b50, crc32, deflatedBytes ?? bytes, bytes);
}

/** The line of a file in the directory at the end. */
export function directoryEntry(entry: ZipEntry): Buffer {
	const isFar = entry.offset >= MAX_32;
	const extra = isFar ? pack('228', 1, 8, entry.offset) : Buffer.alloc(0);
	return Buffer.concat([
		pack('42', 0x0201_4b50, MADE_BY),
		describe(entry, { version: isFar ? ZIP64_VERSION : PLAIN_VERSION, extraBytes: extra.length }),
		pack('22244', 0, 0, 0, MODE, Math.min(entry.offset, MAX_32)),
		Buffer.from(entry.path),
		extra,
	]);
}

/** The fields that both records of a file have. */
function describe(
	{ path, addedAt, crc32, bytes, deflatedBytes }: Omit<ZipEntry, 'offset'>,
	{ version, extraBytes }: { version: number; extraBytes: number },
): Buffer {
	const time = dosTime(addedAt);
	const [method, packed] = deflatedBytes === undefined ? [STORED, bytes] : [DEFLATED, deflatedBytes];
	return pack('222444422', version, FLAGS, method, time, crc32, packed, bytes, Buffer.byteLength(path), extraBytes);
}

/** The end of the archive, after the directory, of which `offset` and `bytes` are. */
export function endOfArchive({ entries, offset, bytes }: { entries: number; offset: number; bytes: number }): Buffer {
	const [count, size, start] = [Math.min(entries, MAX_16), Math.min(bytes, MAX_32), Math.min(offset, MAX_32)];
	const end = pack('42222442', 0x0605_4b50, 0, 0, count, count, size, start, 0);
	if (entries < MAX_16 && bytes < MAX_32 && offset < MAX_32) return end;
	const version = [MADE_BY, ZIP64_VERSION];
	return Buffer.concat([
		pack('4822448888', 0x0606_4b50, 44, ...version, 0, 0, entries, entries, bytes, offset),
		pack('4484', 0x0706_4b50, 0, offset + bytes, 1),
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

/** Little-endian numbers, each of as many bytes as its digit of `sizes` says. */
function pack(sizes: string, ...values: readonly number[]): Buffer {
	const widths = Array.from(sizes, Number);
	const record = Buffer.alloc(widths.reduce((sum, width) => sum + width));
	let at = 0;
	for (const [index, width] of widths.entries()) {
		// Six bytes are the most that this writes, and more than any archive has; the others stay zero.
		record.writeUIntLE(values[index] as number, at, Math.min(width, 6));
		at += width;
	}
	return record;
}
