/** The files of submissions for those who may read them: found, and read in bounded memory. */

import { and, eq, isNull } from 'drizzle-orm';
import { AppError } from '../../errors.ts';
import { checkFileAccess, type FileCaller } from '../../files/file-access.ts';
import { type FileStore, MissingFile } from '../../files/file-store.ts';
import { createSafeNames } from '../../files/safe-name.ts';
import type { ByteRange } from '../../http/byte-range.ts';
import { createConcurrencyLimit } from '../../http/concurrency-limit.ts';
import type { Streamed } from '../../http/streamed.ts';
import { encodeId, rowId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { SubmissionGone } from '../../storage/errors.ts';
import type { StoredFile } from '../../storage/submission.ts';
import { files, forms as formTable, type Mode } from '../../storage/tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { checked } from '../../tasks/checked-chunks.ts';
import { type Criteria, idsOf, selectionOf } from '../list-query.ts';
import { type ArchiveEntries, type ArchiveEntry, type ArchiveProgress, NOTE, writeArchive } from './archive.ts';
import { type FileAddress, findFile, noSuchFile } from './find-file.ts';

/** `total` and `done` are submissions. */
export interface FormArchive {
	chunks: AsyncGenerator<Uint8Array>;
	progress: ArchiveProgress;
	total: number;
	done: number;
}

interface OpenedBy {
	range?: ByteRange | undefined;
	caller: string;
	isLink?: true | undefined;
	check: () => Promise<unknown>;
}

interface DownloadsOptions {
	store: Pick<FileStore, 'read'>;
	/** Accounts for what waits for slow clients. */
	budget: Pick<ByteBudget, 'take'>;
}

/** Maximum number of concurrent downloads: clients decide how long they take, so they are not counted with other large reads. */
const DOWNLOADS = {
	perCaller: 8,
	inAll: 32,
	waitMs: 15_000,
	message: 'Too many downloads are in progress; try again in a few seconds.',
};
/** The same by links, apart from the owner's: anyone who has a link can read slowly. Callers are networks. */
const LINKED_DOWNLOADS = { ...DOWNLOADS, inAll: 16 };
/** After waiting this long for memory, a download breaks off. */
const MAX_WAIT_MS = 20_000;
/** Submissions of an archive that are looked up together. */
const CHUNK_SUBMISSIONS = 1000;

export type Downloads = ReturnType<typeof createDownloads>;

export function createDownloads(storage: Storage, { store, budget }: DownloadsOptions) {
	const turns = createConcurrencyLimit(DOWNLOADS);
	const linkTurns = createConcurrencyLimit(LINKED_DOWNLOADS);

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
		for await (const chunk of body) {
			using _held = await budget.take(chunk.length, AbortSignal.timeout(MAX_WAIT_MS));
			yield chunk;
		}
	}

	/** Only such files as the caller may have are in it. */
	function archive(entries: ArchiveEntries, caller: FileCaller) {
		const progress: ArchiveProgress = { files: 0, bytes: 0, leftOut: [] };
		async function open(file: StoredFile) {
			checkFileAccess(file, caller);
			return chunksOf(await read(file));
		}
		return { progress, chunks: writeArchive(entries, { open, progress }) };
	}

	function* entriesOf(submissionId: number, { found, folder }: { found: readonly StoredFile[]; folder: string }) {
		const nameOf = createSafeNames([NOTE]);
		const addedAt = new Date(storage.clock.timeline().millisOf(submissionId));
		for (const file of found) yield { path: folder + nameOf(file.name), addedAt, file };
	}

	/** @throws AppError FORM_NOT_FOUND, NOT_FOUND */
	async function ofSubmission({ formId, submissionId }: Omit<FileAddress, 'fileId'>, mode?: Mode) {
		const form = await storage.findForm(formId, mode);
		const head = await storage.submissions.head(form.id, rowId(submissionId));
		if (!head) throw new SubmissionGone();
		return { form, id: head.id, found: (await storage.submissions.files([head.id])).get(head.id) ?? [] };
	}

	return {
		archive,
		entriesOf,
		/** The files of a submission in the order sent. @throws AppError FORM_NOT_FOUND, NOT_FOUND */
		async list(address: Omit<FileAddress, 'fileId'>): Promise<StoredFile[]> {
			return (await ofSubmission(address)).found;
		},
		/**
		 * The files of a submission in one archive, without those that the caller may not have.
		 * @param caller Whose concurrency limit the download counts towards.
		 * @throws AppError FORM_NOT_FOUND, NOT_FOUND, UNAVAILABLE if a turn does not come in time
		 */
		async openArchive(
			address: Omit<FileAddress, 'fileId'>,
			{ mode, caller, ...rights }: FileCaller & { mode?: Mode; caller: string },
		): Promise<Streamed & { fileName: string }> {
			const { form, id, found } = await ofSubmission(address, mode);
			if (found.length === 0) throw new AppError('NOT_FOUND', 'This submission has no files.');
			const { chunks } = archive(entriesOf(id, { found, folder: '' }), rights);
			const whileThere = checked(chunks, () => ofSubmission(address, mode));
			return { chunks: whileThere, fileName: `${form.slug}-${encodeId(id)}.zip`, end: await turns.take(caller) };
		},
		/** The files of many submissions in one archive, in a folder for each submission. @throws AppError FORM_NOT_FOUND */
		async openFormArchive(
			formId: string,
			{ query, ...caller }: FileCaller & { query: Criteria },
		): Promise<FormArchive> {
			const { submissions, clock } = storage;
			const form = await storage.findForm(formId);
			const selection = selectionOf(query, form.id, clock);

			async function* entries(): AsyncGenerator<ArchiveEntry> {
				for await (const ids of idsOf(submissions, selection, CHUNK_SUBMISSIONS)) {
					const files = await submissions.files(ids);
					for (const id of ids) {
						yield* entriesOf(id, { found: files.get(id) ?? [], folder: `${encodeId(id)}/` });
						opened.done++;
					}
				}
			}

			const { progress, chunks } = archive(entries(), caller);
			const whileThere = checked(chunks, () => storage.findForm(formId));
			const opened = { progress, chunks: whileThere, total: await submissions.count(selection), done: 0 };
			return opened;
		},
		/**
		 * A file whose bytes the caller may have.
		 * @throws AppError FORM_NOT_FOUND, NOT_FOUND, FORBIDDEN; see {@link checkFileAccess}
		 */
		async find(address: FileAddress, { mode, ...caller }: FileCaller & { mode?: Mode }): Promise<StoredFile> {
			const found = await findFile(storage, address, mode);
			checkFileAccess(found, caller);
			return found;
		},
		/** The file of a link, and its form. @throws AppError NOT_FOUND, FORBIDDEN for a file that has become infected since */
		async findLinked(fileId: number): Promise<{ file: StoredFile; about: { formId: number; mode: Mode } }> {
			const [found] = await storage.db
				.select({ file: files, about: { formId: files.formId, mode: formTable.mode } })
				.from(files)
				.innerJoin(formTable, eq(formTable.id, files.formId))
				.where(and(eq(files.id, fileId), isNull(formTable.deletedAt)));
			if (!found) throw noSuchFile();
			checkFileAccess(found.file, { permissions: [], isLink: true });
			return found;
		},
		/**
		 * The bytes of a file, or a part of them.
		 * @param caller Whose concurrency limit the download counts towards.
		 * @param check Rejects once the caller may not have the file any more: then the download breaks off.
		 * @throws AppError UNAVAILABLE if the bytes cannot be read or are lost, or a turn does not come in time
		 */
		async open(file: StoredFile, { range, caller, isLink, check }: OpenedBy): Promise<Streamed> {
			const end = await (isLink ? linkTurns : turns).take(caller);
			try {
				return { chunks: checked(chunksOf(await read(file, range)), check), end };
			} catch (error) {
				end();
				throw error;
			}
		},
	};
}
