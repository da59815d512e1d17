/** A form on a real server, and submissions with files posted to it, for tests of what becomes of them. */

import { eq } from 'drizzle-orm';
import type { ShownFile } from '../../../src/files/present-file.ts';
import { decodeId } from '../../../src/ids.ts';
import { files, type ScanVerdict } from '../../../src/storage/tables.ts';
import type { TestServer } from '../../server.ts';

export interface Attached {
	formId: string;
	submissionId: string;
	/** Path of the submission. */
	path: `/api/${string}`;
	files: ShownFile[];
}

/** Posts the files, each in the field `file` unless it names another, and finds the submission. */
export async function attach(
	server: TestServer,
	sent: readonly File[],
	{
		slug = 'jobs',
		fields = { name: 'Ada' },
		key,
	}: { slug?: string; fields?: Record<string, string>; key?: string } = {},
): Promise<Attached> {
	const body = new FormData();
	for (const [name, value] of Object.entries(fields)) body.append(name, value);
	for (const file of sent) body.append('file', file);
	const response = await fetch(`${server.submitUrl}/f/${slug}`, {
		method: 'POST',
		body,
		headers: { Accept: 'application/json' },
	});
	if (response.status !== 200) throw new Error(await response.text());
	const form = (await server.app.forms.list()).find((candidate) => candidate.slug === slug);
	const filter = '_gotcha' in fields ? 'spam' : 'all';
	const list = await server.call<{ submissions: { id: string; files: ShownFile[] }[] }>(
		`GET /api/forms/${form?.id}/submissions?limit=1&filter=${filter}`,
		{ key },
	);
	const [submission] = list.body.submissions;
	if (!form || !submission) throw new Error(list.text);
	const path = `/api/forms/${form.id}/submissions/${submission.id}` as const;
	return { formId: form.id, submissionId: submission.id, path, files: submission.files };
}

/** As the virus scanner would. */
export async function setScan({ app }: TestServer, { id }: ShownFile, scan: ScanVerdict): Promise<void> {
	await app.storage.batch((tx) => [
		tx
			.update(files)
			.set({ scan })
			.where(eq(files.id, decodeId(id) ?? -1)),
	]);
}

export function randomBytes(bytes: number): Uint8Array<ArrayBuffer> {
	const all = new Uint8Array(bytes);
	for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(all.subarray(at, at + 65_536));
	return all;
}
