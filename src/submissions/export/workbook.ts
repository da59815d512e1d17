/** A workbook, made while it is read: its sheets are written as rows come, each as long as the format allows. */

import { createZipWriter } from '../files/zip-writer.ts';
import { CHUNK_SUBMISSIONS, type Chunk } from './chunk.ts';
import { SHEET_ROWS, SHEET_TAIL, sheetHead, sheetPath, workbookParts } from './xlsx.ts';

/** The ZIP format has longer records for files of 4 GiB, which some programs cannot read. */
const SHEET_BYTES = 3 * 2 ** 30;

type Rows = AsyncGenerator<Pick<Chunk, 'bytes' | 'count'>>;

/** @param rows Those of submissions, in chunks. */
export async function* writeWorkbook(
	rows: Rows,
	{ titles, at, sheetRows = SHEET_ROWS }: { titles: readonly string[]; at: Date; sheetRows?: number },
): AsyncGenerator<Uint8Array> {
	const encode = (text: string) => new TextEncoder().encode(text);
	const zip = createZipWriter();
	const entry = (path: string) => ({ path, addedAt: at, isDeflated: true });
	let isOver = false;

	async function* sheet() {
		let count = 1;
		let bytes = 0;
		yield encode(sheetHead(titles));
		while (count + CHUNK_SUBMISSIONS <= sheetRows && bytes < SHEET_BYTES) {
			const { value, done } = await rows.next();
			if (done) {
				isOver = true;
				break;
			}
			count += value.count;
			bytes += value.bytes.length;
			yield value.bytes;
		}
		yield encode(SHEET_TAIL);
	}

	try {
		let sheets = 0;
		while (!isOver) yield* zip.add(entry(sheetPath(++sheets)), sheet());
		for (const [path, text] of workbookParts(sheets)) yield* zip.add(entry(path), [encode(text)]);
		yield* zip.end();
	} finally {
		// A client that went away in between.
		await rows.return(undefined);
	}
}
