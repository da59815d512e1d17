/** Pure: refusals as Formspree's clients understand them. */

import type { AppError, ErrorCode } from '../errors.ts';

interface FormspreeError {
	code: string;
	message: string;
	field?: string;
}

/**
 * The refusals of the endpoint for which Formspree has a code. The others keep ours, which its clients pass on as
 * `UNSPECIFIED` with our sentence.
 */
const CODES: Partial<Record<ErrorCode, string>> = {
	DOMAIN_NOT_ALLOWED: 'BLOCKED',
	EMPTY_SUBMISSION: 'EMPTY',
	FILES_NOT_SUPPORTED: 'NO_FILE_UPLOADS',
	FORM_DISABLED: 'INACTIVE',
	FORM_NOT_FOUND: 'FORM_NOT_FOUND',
};

export function isFormspreeClient(headers: Headers): boolean {
	return headers.has('formspree-client');
}

/** The `errors` of the answer: about fields where they are to blame, else one about the form. */
export function formspreeErrors({ code, message, details }: AppError): FormspreeError[] {
	return details.fields ?? [{ code: CODES[code] ?? code, message }];
}
