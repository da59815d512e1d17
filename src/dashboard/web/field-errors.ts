/** Errors, worded for display: all of them, or those of one input. */

import { ApiError } from './api.ts';
import * as words from './sentences/words.ts';

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : words.controls.somethingWrong;
}

/** Returns whether inputs show the error, each its part. */
export function isOfFields(error: unknown): boolean {
	return error instanceof ApiError && Object.keys(error.fields).length > 0;
}

/** Messages begin with the field's name, for programs; beside an input the value is clearer. */
function reworded(message: string, field: string, value: string | undefined): string {
	if (!message.startsWith(`${field} `)) return message;
	return words.controls.faultOfValue(value) + words.controls.forPeople(message.slice(field.length));
}

/**
 * The error of an input: of the field itself or of one of its members, such as `allowedDomains.0`.
 * @param members The member values as they were sent.
 */
export function errorOf(error: unknown, name: string, members: string[] = []): string | undefined {
	if (!(error instanceof ApiError)) return undefined;
	const own = Object.entries(error.fields).filter(([field]) => field === name || field.startsWith(`${name}.`));
	const sentences = own.map(([field, message]) => {
		const member = field === name ? undefined : members[Number(field.slice(name.length + 1))];
		return reworded(message, field, member);
	});
	return sentences.join(' ') || undefined;
}

/** For a form of one input: what is wrong with it, or else with the whole; `undefined` without an error. */
export function errorOfOnly(error: unknown, name: string, members?: string[]): string | undefined {
	return error === undefined ? undefined : (errorOf(error, name, members) ?? messageOf(error));
}
