/** Errors that storage throws, whatever its engine: features see these, and no engine's own codes. */

import { AppError } from '../errors.ts';
import { say } from '../languages/translations.ts';

const RETRY_AFTER_SECONDS = 30;

/** A value that must be unique is there already; nothing was stored. */
export class UniqueViolation extends Error {}

/** Another submission of the form holds one of its unique values; nothing was stored. */
export class ValueTaken extends Error {}

/** Nothing can be stored now; nothing was. */
export class Unavailable extends AppError {
	/** @param cause For the log, unless that has it already. */
	constructor(cause?: unknown, what: 'store anything' | 'store files' | 'reach its database' = 'store anything') {
		super('UNAVAILABLE', `The server cannot ${what} at the moment. Please try again shortly.`, {
			retryAfterSeconds: RETRY_AFTER_SECONDS,
			cause,
		});
	}
}

const NO_RESPONSE =
	'The database did not respond, so it is unknown whether this was stored. Repeat the request with the same Idempotency-Key.';

/** It is unknown whether it was stored, or will be. Not `UNAVAILABLE`, which promises that nothing was. */
export class OutcomeUnknown extends AppError {
	constructor(cause?: unknown, message = NO_RESPONSE) {
		super('INTERNAL', message, { cause });
	}
}

/** The form has as many submissions as it takes; nothing was stored. */
export class FormFull extends AppError {
	constructor() {
		super('FORM_FULL', say('full'), { says: ['full'] });
	}
}

/** There is no such form, or not any more. */
export class FormGone extends AppError {
	constructor(message = 'There is no such form.') {
		super('FORM_NOT_FOUND', message);
	}
}

/** The form has no such submission, or not any more. */
export class SubmissionGone extends AppError {
	constructor() {
		super('NOT_FOUND', 'There is no such submission.');
	}
}
