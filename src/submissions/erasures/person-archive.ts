/** All submissions of one person, with their files, in one archive: made while it is read. */

import { presentJson } from '../../delivery/present-submission.ts';
import type { FileCaller } from '../../files/file-access.ts';
import { encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { sizeOf } from '../../storage/filters.ts';
import { forms } from '../../storage/tables.ts';
import type { ArchiveEntry, MadeEntry } from '../files/archive.ts';
import type { Downloads, FormArchive } from '../files/downloads.ts';
import { type Erasures, requirePerson } from './erasures.ts';
import { findSubmissions } from './find-submissions.ts';

/** The member with the submissions, one on each line. */
export const SUBMISSIONS = 'submissions.ndjson';

interface Sources {
	storage: Storage;
	downloads: Pick<Downloads, 'archive' | 'entriesOf'>;
	erasures: Pick<Erasures, 'presentId'>;
}

/**
 * With `total` and `done` in submissions that were looked at. @param email Whose submissions: those that an erasure of it would remove.
 * @throws AppError VALIDATION_ERROR
 */
export async function openPersonArchive(
	{ storage, downloads, erasures }: Sources,
	{ email, ...caller }: FileCaller & { email: string },
): Promise<FormArchive & { submissions: number }> {
	const person = requirePerson(email, crypto.getRandomValues(new Uint8Array(32)).toHex());
	const beforeId = await erasures.presentId();
	const rows = await storage.db.select().from(forms);
	const formOf = new Map(rows.map((form) => [form.id, form]));
	const counts = await storage.submissions.counts([...formOf.keys()]);
	const withFiles: number[] = [];

	async function* lines(): AsyncGenerator<Uint8Array> {
		for await (const piece of findSubmissions(storage, { people: [person], beforeId, pause: async () => true })) {
			for (const { id, files } of piece.found) {
				const line = await lineOf(piece.formId, id);
				if (line === undefined) continue;
				if (files > 0) withFiles.push(id);
				opened.submissions++;
				yield Buffer.from(line);
			}
			opened.done += piece.scanned;
		}
	}

	async function lineOf(formId: number, id: number): Promise<string | undefined> {
		const row = await storage.submissions.get(formId, id);
		if (!row) return undefined;
		const files = (await storage.submissions.files([id])).get(id);
		const { slug, name, mode } = formOf.get(formId) ?? {};
		const form = JSON.stringify({ id: encodeId(formId), slug, name, mode });
		return `{"form":${form},"submission":${presentJson({ ...row, files }, storage.clock.timeline())}}\n`;
	}

	async function* entries(): AsyncGenerator<ArchiveEntry | MadeEntry> {
		yield { path: SUBMISSIONS, addedAt: new Date(), content: lines() };
		for (const id of withFiles) {
			const found = (await storage.submissions.files([id])).get(id) ?? [];
			yield* downloads.entriesOf(id, { found, folder: `files/${encodeId(id)}/` });
		}
	}

	const total = [...counts.values()].reduce((sum, of) => sum + sizeOf(of), 0);
	const opened = { ...downloads.archive(entries(), caller), total, done: 0, submissions: 0 };
	return opened;
}
