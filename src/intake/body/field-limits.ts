/** The limits of a body's fields, and the errors that name them. */

import { AppError } from '../../errors.ts';

export interface FieldLimits {
	/** Fields of one submission; a JSON body may have ten times as many members and elements below them. */
	maxFields: number;
	/** Bytes of a field's name in UTF-8, at every level. */
	maxNameBytes: number;
	/** Nesting of objects and arrays, including the body itself. */
	maxDepth: number;
}

export function tooManyFields(limits: FieldLimits): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', `A submission may have at most ${limits.maxFields} fields.`);
}

/** @throws {AppError} PAYLOAD_TOO_LARGE */
export function checkName(name: string, limits: FieldLimits): void {
	if (!isShortName(name, limits)) throw nameTooLong(limits);
}

export function isShortName(name: string, { maxNameBytes }: FieldLimits): boolean {
	// UTF-8 needs at most three bytes for a UTF-16 code unit, so that few names have to be measured.
	if (name.length * 3 <= maxNameBytes) return true;
	return name.length <= maxNameBytes && Buffer.byteLength(name) <= maxNameBytes;
}

export function nameTooLong(limits: FieldLimits): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', `The name of a field may have at most ${limits.maxNameBytes} bytes.`);
}

/** A name for a message: quoted, without characters that could affect a terminal or a log. */
export function quoteName(name: string): string {
	return JSON.stringify(name).replace(/[\u007f-\u009f\u2028\u2029]/g, ' ');
}
