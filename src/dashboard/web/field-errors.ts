/** The server's refusals, told beside the inputs they are about. */

import type { ApiError } from './api.ts';

/** A refusal names its field first, as programs need it; beside an input the value itself says more. */
function reworded(message: string, field: string, value: string | undefined): string {
	if (!message.startsWith(`${field} `)) return message;
	return `${value === undefined ? 'This' : `“${value}”`}${message.slice(field.length)}`;
}

/**
 * What is wrong with an input: errors of the field itself and of its members, such as `allowedDomains.0`.
 * `members` are the member values as they were sent.
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
