/** Brings the bytes of a file along that was imported without them: they have to be those that its submission names. */

import { AppError } from '../../errors.ts';
import type { FileQuota } from '../../files/quota.ts';
import type { TrackedStore, TrackedWriter } from '../../files/tracked-store.ts';
import type { Storage } from '../../storage/contract.ts';
import { roomOf } from '../../storage/file-room.ts';
import type { files, ScanVerdict } from '../../storage/tables.ts';

export type FileRow = typeof files.$inferSelect;

export interface FileBytesOptions {
	store: Pick<TrackedStore, 'create'>;
	quota: FileQuota;
	/** State of a new file in virus scanning; `null` if it is not scanned. */
	scan: ScanVerdict | null;
}

export type KeepBytes = ReturnType<typeof createKeepBytes>;

export function createKeepBytes(
	{ submissions, findings }: Pick<Storage, 'submissions' | 'findings'>,
	{ store, quota, scan }: FileBytesOptions,
) {
	/** Removes what it wrote if that is not all of the file. */
	async function receive({ name, bytes, sha256 }: FileRow, body: AsyncIterable<Uint8Array>): Promise<TrackedWriter> {
		const writer = store.create();
		try {
			const hasher = new Bun.CryptoHasher('sha256');
			let length = 0;
			for await (const chunk of body) {
				length += chunk.length;
				if (length > bytes) break;
				hasher.update(chunk);
				await writer.write(chunk);
			}
			if (length !== bytes || hasher.digest('hex') !== sha256.toLowerCase())
				throw new AppError(
					'VALIDATION_ERROR',
					`These are not the bytes of ${JSON.stringify(name)}, which has ${bytes} with the SHA-256 ${sha256}.`,
				);
			await writer.finish();
			return writer;
		} catch (error) {
			await writer.abort();
			throw error;
		}
	}

	/**
	 * A file that has its bytes stays as it is, and so does one that is gone.
	 * @throws AppError VALIDATION_ERROR for other bytes, FILES_FULL, UNAVAILABLE
	 */
	return async function keepBytes(file: FileRow, body: AsyncIterable<Uint8Array>): Promise<void> {
		if (file.key !== null) return;
		const rejection = findings.rejection('submission');
		if (rejection) throw rejection;
		const hold = quota.open(file.formId);
		let writer: TrackedWriter | undefined;
		try {
			if (!(await hold.take(roomOf(file.bytes))))
				throw new AppError(
					'FILES_FULL',
					`There is no room left for ${JSON.stringify(file.name)}: see FORMSRV_FILES_QUOTA.`,
				);
			writer = await receive(file, body);
			// If this fails, the sweep of files knows by the row whether the bytes stay.
			const isKept = await submissions.keepFile(file.formId, { id: file.id, key: writer.key, scan });
			if (!isKept) await writer.abort();
		} finally {
			writer?.release();
			hold.release();
		}
	};
}
