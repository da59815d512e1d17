/** Files that a form does not accept: the errors for the visitor, and the submission without them. */

import { AppError, type ErrorCode, spokenError } from '../../errors.ts';
import { describeTypes } from '../../files/describe-types.ts';
import { DROPPED_FILES_MAX, type DropReason, isDropReason } from '../../form-values/dropped-files.ts';
import type { FileRules } from '../../form-values/file-rules.ts';
import type { Sentence } from '../../languages/translation.ts';
import type { FormRow } from '../../storage/tables.ts';
import { type Content, setFields } from './content.ts';
import { quoteName } from './fields.ts';

interface Named {
	field: string;
	name: string;
}

/** A file that its form does without. */
export interface RefusedFile extends Named {
	/** All that came. */
	bytes: number;
	error: DropError;
}

export type DropError = AppError & { code: DropReason };

/** Returns whether the form accepts a submission without a file that has this error. */
export function isDroppable(error: unknown, { field }: Named, { files, fields }: FormRow): error is DropError {
	if (files?.onRefused !== 'drop' || !(error instanceof AppError) || !isDropReason(error.code)) return false;
	return !fields?.some(({ name, required }) => name === field && required);
}

export function tooManyFiles(file: Named, { maxFiles }: FileRules): AppError {
	return fileError('TOO_MANY_FILES', file.field, ['manyFiles', { name: file.name, count: maxFiles }]);
}

export function typeNotAllowed(file: Named, { types }: FileRules): AppError {
	return fileError('FILE_TYPE_NOT_ALLOWED', file.field, ['fileType', { name: file.name, types: describeTypes(types) }]);
}

export function fileTooLarge(file: Named, { maxBytes }: FileRules): AppError {
	return fileError('FILE_TOO_LARGE', file.field, ['fileSize', { name: file.name, size: { bytes: maxBytes } }]);
}

export function filesFull(file: Named): AppError {
	return fileError('FILES_FULL', file.field, ['filesFull', { name: file.name }]);
}

export function filesRejected(field: string): AppError {
	return fileError('FILES_NOT_SUPPORTED', field, ['noFiles', { field: quoteName(field) }]);
}

/** Visitors know the file by its name. */
function fileError(code: ErrorCode, field: string, says: Sentence): AppError {
	const error = spokenError(code, says);
	error.details.fields = [{ field, code, message: error.message, says }];
	return error;
}

/** Takes the names of rejected files out of the fields, and notes them; may be called again, when there are more. */
export function leaveOutRefused(content: Content): void {
	const { files, refused: known = [] } = content;
	const refused = files?.refused() ?? [];
	const others = refused.filter((file) => !known.includes(file));
	if (others.length === 0) return;
	const values = new Map(content.fields.map(({ name, json }) => [name, json]));
	for (const { field, name } of others) {
		const left = [JSON.parse(values.get(field) ?? '[]')].flat();
		const at = left.lastIndexOf(name);
		if (at !== -1) left.splice(at, 1);
		if (left.length === 0) values.delete(field);
		else values.set(field, JSON.stringify(left.length === 1 ? left[0] : left));
	}
	setFields(
		content,
		[...values].map(([name, json]) => ({ name, json })),
	);
	content.refused = refused;
	content.droppedFiles = refused
		.slice(0, DROPPED_FILES_MAX)
		.map(({ field, name, bytes, error: { code: reason } }) => ({ field, name, bytes, reason }));
	content.moreDroppedFiles = Math.max(0, refused.length - DROPPED_FILES_MAX);
}

/** For a submission without a field. If its files could not be stored, it may be repeated. */
export function emptySubmission(refused: readonly RefusedFile[] = []): AppError {
	const errors = refused.map(({ error }) => error);
	const [first] = errors;
	const fields = errors.slice(0, DROPPED_FILES_MAX).flatMap(({ details }) => details.fields ?? []);
	return (
		errors.find(({ code }) => code === 'UNAVAILABLE') ??
		(first
			? new AppError('EMPTY_SUBMISSION', first.message, { fields, says: first.details.says })
			: spokenError('EMPTY_SUBMISSION', ['empty']))
	);
}
