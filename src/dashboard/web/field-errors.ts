/** Validation errors of the server, worded for display beside their inputs. */

import type { ApiError } from './api.ts';

/** Messages begin with the field's name, for programs; beside an input the value is clearer. */
function reworded(message: string, field: string, value: string | undefined): string {
	if (!message.startsWith(`${field} `)) return message;
	return `${value === undefined ? 'This' : `“${value}”`}${message.slice(field.length)}`;
}

/**
 * The error of an input: of the field itself or of one of its members, such as `allowedDomains.0`.
 * @param members The member values as they were sent.
 */
export function errorOf(error: ApiError | undefined, name: string, members: string[] = []): string | undefined {
	const own = Object.entries(error?.fields ?? {}).filter(([field]) => field === name || field.startsWith(`${name}.`));
	const sentences = own.map(([field, message]) => {
		const member = field === name ? undefined : members[Number(field.slice(name.length + 1))];
		return reworded(message, field, member);
	});
	if (error?.code === 'SLUG_TAKEN' && name === 'slug') sentences.push(error.message);
	return sentences.join(' ') || undefined;
}
