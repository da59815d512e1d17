/** Fetches a token for the time at which a form was loaded, which distinguishes people from programs that send at once. */

import { languageHeader, noteLanguage } from './language.ts';

const FIELD = '_formsrv_stamp';

const stamps = new WeakMap<HTMLFormElement, string>();

/** Without a stamp a form is sent all the same. */
export async function fetchStamp(form: HTMLFormElement, endpoint: string): Promise<void> {
	try {
		const response = await fetch(endpoint.replace(/\/?(?:[?#].*)?$/, '/stamp'), {
			headers: languageHeader(form),
			credentials: 'omit',
		});
		noteLanguage(form, response);
		const { stamp } = (await response.json()) as { stamp?: unknown };
		if (response.ok && typeof stamp === 'string') stamps.set(form, stamp);
	} catch {
		// As without this script.
	}
}

export function addStamp(form: HTMLFormElement, data: FormData): void {
	const stamp = stamps.get(form);
	if (stamp !== undefined) data.set(FIELD, stamp);
}
