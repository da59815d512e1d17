/** The files of submissions for those who may read them: found, and read in bounded memory. */

import { and, eq, isNull } from 'drizzle-orm';
import type { ByteBudget } from '../../byte-budget.ts';
import { AppError } from '../../errors.ts';
import { checkFileAccess, type FileCaller } from '../../files/file-access.ts';
import { type FileStore, MissingFile } from '../../files/file-store.ts';
import type { ByteRange } from '../../http/byte-range.ts';
import type { Streamed } from '../../http/streamed.ts';
import type { Turns } from '../../http/turns.ts';
import { decodeId } from '../../ids.ts';
import type { Storage } from '../../storage/storage.ts';
import type { StoredFile } from '../../storage/submission.ts';
import { files, forms as formTable, type Mode } from '../../storage/tables.ts';

/** Where a file is, by public ids. */
export interface FileAddress {
	formId: string;
	submissionId: string;
	fileId: string;
}

export interface DownloadsOptions {
	store: Pick<FileStore, 'read'>;
	/** Accounts for what waits for slow clients. */
	budget: Pick<ByteBudget, 'take'>;
	/** Limits concurrent downloads. */
	turns: Turns;
}

/** After waiting this long for memory, a download breaks off. */
const MAX_WAIT_MS = 20_000;

export type Downloads = ReturnType<typeof createDownloads>;

export function createDownloads(storage: Storage, { store, budget, turns }: DownloadsOptions) {
	/** @throws AppError UNAVAILABLE if the bytes cannot be read, or are lost */
	async function read({ name, key, bytes }: StoredFile, range: ByteRange = { start: 0, end: bytes }) {
		try {
			// An empty range of an object that is lost would be found all the same.
			return await store.read(key ?? '', range.end === 0 ? undefined : range);
		} catch (error) {
			if (!(error instanceof MissingFile)) throw error;
			const lost = `The file ${JSON.stringify(name)} is missing from the file store. For the operator: "formsrv doctor" says more.`;
			throw new AppError('UNAVAILABLE', lost, { cause: error });
		}
	}

	async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
		const reader = body.getReader();
		try {
			for (;;) {
				const { done, value } = await reader.read();
				if (done) return;
				const release = await budget.take(value.length, AbortSignal.timeout(MAX_WAIT_MS));
				try {
					yield value;
				} finally {
					release();
				}
			}
		} finally {
			await reader.cancel();
		}
	}

	return {
		/**
		 * A file whose bytes the caller may have.
		 * @throws AppError FORM_NOT_FOUND, NOT_FOUND, FORBIDDEN; see {@link checkFileAccess}
		 */
		async find(address: FileAddress, { mode, ...caller }: FileCaller & { mode?: Mode }): Promise<StoredFile> {
			const form = await storage.findForm(address.formId, mode);
			const [found] = await storage.db
				.select()
				.from(files)
				.where(
					and(
						eq(files.id, decodeId(address.fileId) ?? -1),
						eq(files.submissionId, decodeId(address.submissionId) ?? -1),
						eq(files.formId, form.id),
					),
				);
			if (!found) throw noSuchFile();
			checkFileAccess(found, caller);
			return found;
		},
		/** The file of a link. @throws AppError NOT_FOUND, FORBIDDEN for a file that has become infected since */
		async findLinked(fileId: number): Promise<StoredFile> {
			const [found] = await storage.db
				.select({ file: files })
				.from(files)
				.innerJoin(formTable, eq(formTable.id, files.formId))
				.where(and(eq(files.id, fileId), isNull(formTable.deletedAt)));
			if (!found) throw noSuchFile();
			checkFileAccess(found.file, { permissions: [] });
			return found.file;
		},
		/**
		 * The bytes of a file, or a part of them.
		 * @param caller Whose concurrency limit the download counts towards.
		 * @throws AppError UNAVAILABLE if the bytes cannot be read or are lost, or a turn does not come in time
		 */
		async open(
			file: StoredFile,
			{ range, caller }: { range?: ByteRange | undefined; caller: string },
		): Promise<Streamed> {
			const end = await turns.take(caller);
			try {
				return { chunks: chunksOf(await read(file, range)), end };
			} catch (error) {
				end();
				throw error;
			}
		},
	};
}

function noSuchFile(): AppError {
	return new AppError('NOT_FOUND', 'There is no such file.');
}
