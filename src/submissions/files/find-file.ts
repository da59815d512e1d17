/** Finds a file of a submission by public ids. */

import { and, eq } from 'drizzle-orm';
import { AppError } from '../../errors.ts';
import { rowId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { files, type Mode } from '../../storage/tables.ts';

export interface FileAddress {
	formId: string;
	submissionId: string;
	fileId: string;
}

/** @throws AppError FORM_NOT_FOUND, NOT_FOUND */
export async function findFile(
	{ db, findFormId }: Pick<Storage, 'db' | 'findFormId'>,
	{ formId, submissionId, fileId }: FileAddress,
	mode?: Mode,
): Promise<typeof files.$inferSelect> {
	const form = await findFormId(formId, mode);
	const [found] = await db
		.select()
		.from(files)
		.where(and(eq(files.id, rowId(fileId)), eq(files.submissionId, rowId(submissionId)), eq(files.formId, form)));
	if (!found) throw noSuchFile();
	return found;
}

export function noSuchFile(): AppError {
	return new AppError('NOT_FOUND', 'There is no such file.');
}
