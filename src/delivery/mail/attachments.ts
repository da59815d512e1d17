/** The files of a submission in its mail: named with their sizes, and attached if the form says so. */

import type { FileStore } from '../../files/file-store.ts';
import { createSafeNames } from '../../files/safe-name.ts';
import { readWhole } from '../../files/whole-file.ts';
import type { Sentence } from '../../languages/translation.ts';
import type { Storage } from '../../storage/contract.ts';
import type { StoredFile } from '../../storage/submission.ts';

export interface Attachment {
	file: StoredFile;
	/** Safe on every system, and distinct in the mail. */
	name: string;
	/** Its bytes, piece by piece while they are sent. @throws UnreadableFile, also after some of them */
	read(): AsyncIterable<Uint8Array>;
}

/** A file is missing, damaged or out of reach. */
export class UnreadableFile extends Error {
	constructor(readonly fileId: number) {
		super('An attached file cannot be read.');
	}
}

/** All attachments of a mail together: with their encoding, few mail servers reject it. */
const ATTACHED_MAX_BYTES = 10 * 1024 * 1024;
/** How long a mail waits for the virus scanner, which is asked as soon as a file is stored. */
const SCAN_WAIT_MS = 5000;
const SCAN_LOOK_MS = 250;
/** How long a mail waits for the file store, in all for one file. */
const READ_MS = 60_000;

/** Those that fit, in the order sent; with a virus scanner, only what it found clean. */
export function chooseAttachments(files: readonly StoredFile[]): StoredFile[] {
	let left = ATTACHED_MAX_BYTES;
	return files.filter(({ key, bytes, scan }) => {
		if (key === null || (scan !== null && scan !== 'clean') || bytes > left) return false;
		left -= bytes;
		return true;
	});
}

/** A line for each file: its name, its size, and remarks. */
export function describeFiles(
	files: readonly StoredFile[],
	{ attachments = [], unreadable }: { attachments?: readonly Attachment[]; unreadable?: ReadonlySet<number> } = {},
): Sentence[] {
	const attached = new Set(attachments.map(({ file }) => file.id));
	return files.map((file) => {
		const says = ['file', { name: file.name, size: { bytes: file.bytes } }] as const;
		const values = { file: { says } };
		if (file.scan === 'infected') return ['mailFileInfected', values];
		if (file.key === null) return ['mailFileNotKept', values];
		if (unreadable?.has(file.id)) return ['mailFileUnreadable', values];
		return attached.has(file.id) ? ['mailFileAttached', values] : says;
	});
}

export function createAttachments({ submissions, findings }: Storage, store: Pick<FileStore, 'read'>) {
	const filesOf = async (id: number) => (await submissions.files([id])).get(id) ?? [];

	/** Only what was stored, to the byte. The file store reports what it cannot read. */
	async function* bytesOf({ id, key, bytes, sha256 }: StoredFile): AsyncGenerator<Uint8Array> {
		try {
			let left = READ_MS;
			let asked = performance.now();
			for await (const piece of readWhole(store, { key: key as string, bytes, sha256 })) {
				left -= performance.now() - asked;
				if (left < 0) throw new Error('The file store is too slow.');
				yield piece;
				// The reader has copied it. As garbage it would be collected after tens of MiB.
				if (piece.byteLength === piece.buffer.byteLength) (piece.buffer as ArrayBuffer).transfer(0);
				asked = performance.now();
			}
		} catch {
			throw new UnreadableFile(id);
		}
	}

	return {
		/** @param waits Whether to wait a moment for the virus scanner. */
		async filesOf(submissionId: number, waits: boolean): Promise<StoredFile[]> {
			let files = await filesOf(submissionId);
			const isPending = () => files.some(({ scan }) => scan === 'unchecked') && !findings.has('scanner');
			for (let waited = 0; waits && isPending() && waited < SCAN_WAIT_MS; waited += SCAN_LOOK_MS) {
				await Bun.sleep(SCAN_LOOK_MS);
				files = await filesOf(submissionId);
			}
			return files;
		},
		attach(files: readonly StoredFile[]): Attachment[] {
			const nameOf = createSafeNames();
			return files.map((file) => ({ file, name: nameOf(file.name), read: () => bytesOf(file) }));
		},
	};
}
