/** Pure: errors in the format of Formspree's clients. */

import type { ErrorCode } from '../errors.ts';
import type { SpokenError } from './pages/pages.ts';

interface FormspreeError {
	code: string;
	message: string;
	field?: string;
}

/**
 * The errors for which Formspree has a code. The others keep ours, which its clients report as `UNSPECIFIED` with our
 * sentence.
 */
const CODES: Partial<Record<ErrorCode, string>> = {
	DOMAIN_NOT_ALLOWED: 'BLOCKED',
	EMPTY_SUBMISSION: 'EMPTY',
	FILES_NOT_SUPPORTED: 'NO_FILE_UPLOADS',
	FILE_TOO_LARGE: 'FILES_TOO_BIG',
	TOO_MANY_FILES: 'TOO_MANY_FILES',
	FORM_DISABLED: 'INACTIVE',
	FORM_NOT_OPEN: 'INACTIVE',
	FORM_CLOSED: 'INACTIVE',
	FORM_FULL: 'INACTIVE',
	FORM_NOT_FOUND: 'FORM_NOT_FOUND',
};

/** The same for errors of fields. */
const FIELD_CODES: Record<string, string> = {
	REQUIRED: 'REQUIRED_FIELD_EMPTY',
	INVALID_EMAIL: 'TYPE_EMAIL',
	INVALID_NUMBER: 'TYPE_NUMERIC',
	INVALID_TYPE: 'TYPE_TEXT',
};

export function isFormspreeClient(headers: Headers): boolean {
	return headers.has('formspree-client');
}

/** The `errors` of the response: one for the form if Formspree has a code for it, else one for each invalid field. */
export function formspreeErrors(code: ErrorCode, { message, fields }: SpokenError): FormspreeError[] {
	const known = CODES[code];
	if (known !== undefined || fields.length === 0) return [{ code: known ?? code, message }];
	return fields.map((field) => ({ ...field, code: FIELD_CODES[field.code] ?? field.code }));
}
