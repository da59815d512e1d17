/** Tells visitors before they fill in a form that it is closed now. */

import { buttonsOf } from './form-members.ts';
import { languageHeader, noteLanguage } from './language.ts';
import { prepareMessages } from './messages.ts';

/** The server's status of a form. */
export interface Status {
	open?: boolean;
	message?: string;
}

/** `{}` if nothing is known: then the form is left alone. */
export async function fetchStatus(form: HTMLFormElement, endpoint: string): Promise<Status> {
	try {
		const response = await fetch(endpoint.replace(/\/?(?:[?#].*)?$/, '/status'), {
			headers: languageHeader(form),
			credentials: 'omit',
		});
		noteLanguage(form, response);
		return response.ok ? await response.json() : {};
	} catch {
		return {};
	}
}

/** Without the focus, which the visitor may have elsewhere. */
export function showClosed(form: HTMLFormElement, { message = '' }: Status): void {
	for (const button of buttonsOf(form)) button.toggleAttribute('disabled', true);
	const paragraph = document.createElement('p');
	paragraph.textContent = message;
	prepareMessages(form).alert.append(paragraph);
}
