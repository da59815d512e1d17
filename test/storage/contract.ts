/** The fixture of the storage contract's tests: a storage with two forms, and submissions of one of them. */

import { expect } from 'bun:test';
import type { Storage } from '../../src/storage/contract.ts';
import type { NewSubmission, Selection } from '../../src/storage/submission.ts';
import { forms } from '../../src/storage/tables.ts';

export const FORM = 7;
export const OTHER_FORM = 8;
export const form = (id: number, slug = `form-${id}`) => ({ id, mode: 'live' as const, slug, name: slug });

/** @param createPlace Of an engine; see `engines.ts`. */
export async function open(createPlace: () => Promise<() => Promise<Storage>>) {
	const reopen = await createPlace();
	const storage = await reopen();
	await storage.batch((tx) => [tx.insert(forms).values([form(FORM), form(OTHER_FORM)])]);
	return { storage, reopen };
}

export async function append(storage: Storage, row: Partial<NewSubmission> = {}): Promise<number> {
	const { data = '{"a":"b"}' } = row;
	const names = Object.keys(JSON.parse(data) as object);
	const whole = { formId: FORM, data, names, spamReason: null, subject: null, replyTo: null };
	return storage.submissions.append({ ...whole, ...row });
}

/** Returns the ids of a list, which are as many as are counted. */
export async function listIds(storage: Storage, selection: Partial<Selection> = {}): Promise<number[]> {
	const query = { formId: FORM, filter: 'all', order: 'asc', limit: 100, offset: 0, ...selection } as const;
	const { rows, total } = await storage.submissions.list(query);
	expect(await storage.submissions.count(query)).toBe(total);
	return rows.map(({ id }) => id);
}
