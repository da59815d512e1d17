/** The snippets of a form, as its settings want them. */

import type { Form } from '../../api-types.ts';
import { isStoredIn } from './form-terms.ts';
import { type Snippet, snippetsFor } from './snippets.ts';

interface Place {
	/** The form's full public address. */
	address: string;
	/** Where `/formsrv.js` is served from. */
	submitUrl: string;
	/** True if visitors can attach files. */
	withFiles: boolean;
}

export function snippetsOf(form: Form, { address, submitUrl, withFiles }: Place): Snippet[] {
	const [honeypot] = form.spam.honeypot;
	return snippetsFor({
		address,
		submitUrl,
		captcha: form.captcha,
		honeypot,
		asksStatus: form.opensAt !== null || form.closesAt !== null || form.maxSubmissions !== null,
		tellsPage: form.context?.page || form.context?.utm,
		fields: form.fields,
		files: withFiles ? form.files : null,
		isStored: isStoredIn(form),
		domain: form.allowedDomains[0],
	});
}
