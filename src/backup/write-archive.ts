/** Writes an archive: a copy of the database, if it is a file, the attached files that its rows name, and the manifest. */

import { statSync } from 'node:fs';
import { VERSION } from '../config/version.ts';
import { type FileStore, MissingFile } from '../files/file-store.ts';
import { streamFile } from '../files/stream-file.ts';
import type { NamedFile } from '../storage/database.ts';
import { DATABASE, END_BYTES, headerOf, MANIFEST, nameOfFile, paddingAfter } from './layout.ts';
import { headingLine, lastLine, memberLine } from './manifest.ts';
import type { Output } from './output.ts';

const ATTEMPTS = 3;
const PAUSE_MS = 500;

export interface Contents {
	/** A copy, which does not change; `null` for an archive of the files alone. */
	database: string | null;
	/** Those that its rows name; the same ones whenever it is called. */
	files: () => Iterable<NamedFile>;
	store: Pick<FileStore, 'read'>;
	madeAt: Date;
	settings?: readonly string[];
	report: (doneFiles: number) => void;
}

export interface Written {
	files: number;
	/** Keys of files that were not in the store. */
	missing: string[];
	/** Keys of files that were not as their rows say; they are in the archive as they were found. */
	changed: string[];
}

export async function writeArchive(
	output: Output,
	{ database, files, store, madeAt, settings, report }: Contents,
): Promise<Written> {
	const manifest = createSum();
	/** Differences from the rows. */
	const found = new Map<string, string | null>();

	/** Pads a file that became shorter, and cuts one that became longer: its size was written before it. */
	async function add(
		name: string,
		bytes: number,
		content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
	): Promise<string> {
		await output.write(headerOf(name, bytes, madeAt));
		const hash = new Bun.CryptoHasher('sha256');
		let left = bytes;
		const take = async (piece: Uint8Array) => {
			hash.update(piece);
			await output.write(piece);
			left -= piece.length;
		};
		for await (const piece of content) {
			await take(piece.subarray(0, left));
			if (left === 0) break;
		}
		while (left > 0) await take(new Uint8Array(Math.min(left, 64 * 1024)));
		await output.write(new Uint8Array(paddingAfter(bytes)));
		return hash.digest('hex');
	}

	async function addFile(file: NamedFile): Promise<void> {
		const { key, bytes, sha256 } = file;
		try {
			const actual = await add(nameOfFile(key), bytes, await openWhole(store, file));
			if (actual !== sha256) found.set(key, actual);
		} catch (error) {
			if (!(error instanceof MissingFile)) throw error;
			found.set(key, null);
		}
	}

	function lineOf({ key, bytes, sha256 }: NamedFile): string {
		const actual = found.has(key) ? (found.get(key) ?? null) : sha256;
		const isChanged = (actual !== null && actual !== sha256) || undefined;
		return memberLine({ name: nameOfFile(key), bytes, sha256: actual, isChanged });
	}

	async function addDatabase(path: string): Promise<string> {
		const { size: bytes } = statSync(path);
		const sha256 = await add(DATABASE, bytes, streamFile(path, { start: 0, end: bytes }));
		return memberLine({ name: DATABASE, bytes, sha256 });
	}

	const first = [headingLine({ program: VERSION, madeAt, settings })];
	if (database !== null) first.push(await addDatabase(database));
	for (const line of first) manifest.add(line);
	let done = 0;
	for (const file of files()) {
		await addFile(file);
		manifest.add(lineOf(file));
		report(++done);
	}
	const last = lastLine(manifest.sum());
	const lines = function* () {
		yield* first;
		for (const file of files()) yield lineOf(file);
		yield last;
	};
	await add(
		MANIFEST,
		manifest.sum().bytes + last.length,
		lines().map((line) => Buffer.from(line)),
	);
	await output.write(new Uint8Array(END_BYTES));
	const keysOf = (isThere: boolean) =>
		[...found].filter(([, sha256]) => (sha256 !== null) === isThere).map(([key]) => key);
	return { files: done - keysOf(false).length, missing: keysOf(false), changed: keysOf(true) };
}

/** A store over a network may fail now and then. @throws MissingFile */
async function openWhole(store: Contents['store'], { key, bytes }: NamedFile): Promise<AsyncIterable<Uint8Array>> {
	let attempts = 1;

	async function open(at: number): Promise<ReadableStream<Uint8Array>> {
		for (; ; attempts++) {
			try {
				return await store.read(key, at === 0 ? undefined : { start: at, end: bytes });
			} catch (error) {
				if (attempts >= ATTEMPTS || error instanceof MissingFile) throw error;
				await Bun.sleep(PAUSE_MS);
			}
		}
	}

	async function* pieces(first: ReadableStream<Uint8Array>) {
		for (let at = 0, stream = first; ; attempts++) {
			try {
				for await (const piece of stream) {
					at += piece.length;
					yield piece;
				}
				return;
			} catch (error) {
				if (attempts >= ATTEMPTS) throw error;
				await Bun.sleep(PAUSE_MS);
				stream = await open(at);
			}
		}
	}

	return pieces(await open(0));
}

function createSum() {
	const hash = new Bun.CryptoHasher('sha256');
	let bytes = 0;
	return {
		/** The lines are plain ASCII. */
		add(line: string): void {
			hash.update(line);
			bytes += line.length;
		},
		sum: () => ({ bytes, sha256: hash.copy().digest('hex') }),
	};
}
