/** The questions of the script about a form before it is sent: for a token of the time at which it was loaded, and whether it is open. */

import { buttonsOf } from './form-members.ts';
import { languageHeader, noteLanguage } from './language.ts';
import { prepareMessages } from './messages.ts';

/** The server's status of a form. */
interface Status {
	open?: boolean;
	message?: string;
}

const FIELD = '_formsrv_stamp';

const stamps = new WeakMap<HTMLFormElement, string>();

/** `{}` if nothing is known: then the form is left alone. */
async function ask(form: HTMLFormElement, endpoint: string, what: string) {
	try {
		const response = await fetch(endpoint.replace(/\/?(?:[?#].*)?$/, `/${what}`), {
			headers: languageHeader(form),
			credentials: 'omit',
		});
		noteLanguage(form, response);
		return (response.ok && (await response.json())) || {};
	} catch {
		return {};
	}
}

/** It distinguishes people from programs that send at once; without one a form is sent all the same. */
export async function fetchStamp(form: HTMLFormElement, endpoint: string): Promise<void> {
	const { stamp } = await ask(form, endpoint, 'stamp');
	if (typeof stamp === 'string') stamps.set(form, stamp);
}

export function addStamp(form: HTMLFormElement, data: FormData): void {
	const stamp = stamps.get(form);
	if (stamp !== undefined) data.set(FIELD, stamp);
}

export const fetchStatus = (form: HTMLFormElement, endpoint: string): Promise<Status> => ask(form, endpoint, 'status');

/** Without the focus, which the visitor may have elsewhere. */
export function showClosed(form: HTMLFormElement, { message = '' }: Status): void {
	for (const button of buttonsOf(form)) button.toggleAttribute('disabled', true);
	const paragraph = document.createElement('p');
	paragraph.textContent = message;
	prepareMessages(form).alert.append(paragraph);
}
