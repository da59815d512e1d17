/** Files as visitors attach them, put into an installation by its storage and its file store. */

import { randomBytes } from 'node:crypto';
import type { FileStore } from '../../src/files/file-store.ts';
import type { Storage } from '../../src/storage/contract.ts';
import type { StoredFile } from '../../src/storage/submission.ts';
import { forms } from '../../src/storage/tables.ts';

export const FORM = 1;

export async function addForm(storage: Storage): Promise<void> {
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'jobs', name: 'Jobs' })]);
}

/** Stores a submission with a file of each of the sizes; returns its id, and the files with their bytes. */
export async function submitFiles(storage: Storage, store: FileStore, sizes: readonly number[]) {
	const sent: { file: StoredFile & { key: string }; content: Buffer }[] = [];
	for (const bytes of sizes) {
		const content = randomBytes(bytes);
		const writer = store.create();
		await writer.write(content);
		await writer.finish();
		const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex');
		const texts = { field: 'cv', name: 'cv.pdf', type: 'application/pdf', claimedType: '' };
		sent.push({ file: { id: storage.nextId(), ...texts, bytes, sha256, key: writer.key, scan: null }, content });
	}
	const rest = { spamReason: null, subject: null, replyTo: null };
	const files = sent.map(({ file }) => file);
	const id = await storage.submissions.append({ formId: FORM, data: '{"cv":"cv.pdf"}', names: ['cv'], ...rest, files });
	return { id, sent };
}

export async function contentsOf(store: FileStore): Promise<Map<string, Buffer>> {
	const found = new Map<string, Buffer>();
	for await (const { key } of store.list()) {
		found.set(key, Buffer.from(await new Response(await store.read(key)).arrayBuffer()));
	}
	return found;
}
