/** The bounds of a posted body's fields, and the refusals that name them. */

import { AppError } from '../errors.ts';

export interface FieldLimits {
	/** Fields of one submission; a JSON body may have ten times as many members and elements below them. */
	maxFields: number;
	/** Bytes of a field's name in UTF-8, at every level. */
	maxNameBytes: number;
	/** Objects and arrays inside one another, the body itself included. */
	maxDepth: number;
}

export function tooManyFields(limits: FieldLimits): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', `A submission may have at most ${limits.maxFields} fields.`);
}

/**
 * Refuses a name of too many bytes.
 * @throws {AppError} PAYLOAD_TOO_LARGE
 */
export function checkName(name: string, limits: FieldLimits): void {
	if (!isShortName(name, limits)) throw nameTooLong(limits);
}

export function isShortName(name: string, { maxNameBytes }: FieldLimits): boolean {
	// UTF-8 spends at most three bytes on a UTF-16 code unit, so that nearly no name has to be measured.
	if (name.length * 3 <= maxNameBytes) return true;
	return name.length <= maxNameBytes && Buffer.byteLength(name) <= maxNameBytes;
}

export function nameTooLong(limits: FieldLimits): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', `The name of a field may have at most ${limits.maxNameBytes} bytes.`);
}

/** A name as it may stand in a message: quoted, and with nothing in it that could act on a terminal or a log. */
export function quoteName(name: string): string {
	return JSON.stringify(name).replace(/[\u007f-\u009f\u2028\u2029]/g, ' ');
}
