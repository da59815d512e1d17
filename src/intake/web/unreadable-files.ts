/** Files that a visitor chose and that have gone since, been changed, or are folders: the browser cannot send them. */

import { sentencesFor } from './language.ts';

/** The outcome of a form that the browser could not encode: no response, with the files at fault if there are any. */
export async function findUnreadable(form: HTMLFormElement, data: FormData) {
	const { unreadable } = sentencesFor(form);
	const errors: { field: string; code: string; message: string }[] = [];
	for (const [field, value] of data) {
		if (typeof value === 'string' || (await isReadable(value))) continue;
		errors.push({ field, code: 'FILE_UNREADABLE', message: unreadable.replace('{name}', () => value.name) });
	}
	const [first] = errors;
	return first ? { status: 0, code: first.code, message: first.message, errors } : { status: 0 };
}

/** A slice would not tell: a file that is gone has a size of 0. */
async function isReadable(file: File): Promise<boolean> {
	const reader = file.stream().getReader();
	try {
		await reader.read();
		return true;
	} catch {
		return false;
	} finally {
		void reader.cancel().catch(() => {});
	}
}
