/** Files that a form does not accept: the errors for the visitor, and the submission without them. */

import { AppError, type ErrorCode } from '../../errors.ts';
import { describeTypes } from '../../files/describe-types.ts';
import { DROPPED_FILES_MAX, type DropReason, isDropReason } from '../../form-values/dropped-files.ts';
import type { FileRules } from '../../form-values/file-rules.ts';
import type { FormRow } from '../../storage/tables.ts';
import { roughSize } from '../../text/byte-sizes.ts';
import { plural } from '../../text/plural.ts';
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
	return notAttached('TOO_MANY_FILES', file, `this form accepts at most ${plural(maxFiles, 'file')} per submission`);
}

export function typeNotAllowed(file: Named, { types }: FileRules): AppError {
	return notAttached('FILE_TYPE_NOT_ALLOWED', file, `this form accepts ${describeTypes(types)}`);
}

export function fileTooLarge(file: Named, { maxBytes }: FileRules): AppError {
	return notAttached('FILE_TOO_LARGE', file, `a file may have at most ${roughSize(maxBytes)}`);
}

export function filesFull(file: Named): AppError {
	return notAttached('FILES_FULL', file, 'there is no room left for the files of this form');
}

export function filesRejected(field: string): AppError {
	return fileError(
		'FILES_NOT_SUPPORTED',
		field,
		`This form does not accept files; the field ${quoteName(field)} holds one. Leave the file out and send the rest.`,
	);
}

/** For the visitor, who knows the file by its name. */
function notAttached(code: ErrorCode, { field, name }: Named, reason: string): AppError {
	return fileError(code, field, `“${name}” can’t be attached: ${reason}.`);
}

function fileError(code: ErrorCode, field: string, message: string): AppError {
	return new AppError(code, message, { fields: [{ field, code, message }] });
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
	const message = errors[0]?.message ?? 'The submission has no fields to store.';
	const fields = errors.slice(0, DROPPED_FILES_MAX).flatMap(({ details }) => details.fields ?? []);
	return (
		errors.find(({ code }) => code === 'UNAVAILABLE') ??
		new AppError('EMPTY_SUBMISSION', message, fields.length > 0 ? { fields } : {})
	);
}
