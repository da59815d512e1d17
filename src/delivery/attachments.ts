/** The files of a submission in its mail: named with their sizes, and attached if the form says so. */

import { roughSize } from '../byte-sizes.ts';
import type { FileStore } from '../files/file-store.ts';
import { createSafeNames } from '../files/safe-name.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredFile } from '../storage/submission.ts';

export interface Attachment {
	file: StoredFile;
	/** Safe on every system, and distinct in the mail. */
	name: string;
	bytes: Uint8Array<ArrayBuffer>;
}

/** All attachments of a mail together: with their encoding, few mail servers reject it. */
const ATTACHED_MAX_BYTES = 10 * 1024 * 1024;
/** How long a mail waits for the virus scanner, which is asked as soon as a file is stored. */
const SCAN_WAIT_MS = 5000;
const SCAN_LOOK_MS = 250;

/** Those that fit, in the order sent; with a virus scanner, only what it found clean. */
export function chooseAttachments(files: readonly StoredFile[]): StoredFile[] {
	let left = ATTACHED_MAX_BYTES;
	return files.filter(({ key, bytes, scan }) => {
		if (key === null || (scan !== null && scan !== 'clean') || bytes > left) return false;
		left -= bytes;
		return true;
	});
}

/** For a mail that is only shown. */
export function unread(files: readonly StoredFile[]): Attachment[] {
	return named(files).map((attachment) => ({ ...attachment, bytes: new Uint8Array() }));
}

/** A line for each file: its name, its size, and what is to be said about it. */
export function describeFiles(files: readonly StoredFile[], attachments: readonly Attachment[] = []): string[] {
	const attached = new Set(attachments.map(({ file }) => file.id));
	return files.map((file) => {
		const line = `${file.name} (${roughSize(file.bytes)})`;
		if (file.scan === 'infected') return `${line}: the virus scanner found something in it`;
		if (file.key === null) return `${line}, not kept: it came with spam`;
		return attached.has(file.id) ? `${line}, attached` : line;
	});
}

export function createAttachments({ submissions, findings }: Storage, store: Pick<FileStore, 'read'>) {
	const filesOf = async (id: number) => (await submissions.files([id])).get(id) ?? [];

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
		/** Without those that cannot be read: the mail goes all the same, and links to the submission. */
		async read(files: readonly StoredFile[]): Promise<Attachment[]> {
			const read: Attachment[] = [];
			for (const { file, name } of named(files)) {
				try {
					const range = file.bytes === 0 ? undefined : { start: 0, end: file.bytes };
					const bytes = await new Response(await store.read(file.key as string, range)).bytes();
					read.push({ file, name, bytes });
				} catch {
					// The file store has reported it.
				}
			}
			return read;
		},
	};
}

function named(files: readonly StoredFile[]): Omit<Attachment, 'bytes'>[] {
	const nameOf = createSafeNames();
	return files.map((file) => ({ file, name: nameOf(file.name) }));
}
