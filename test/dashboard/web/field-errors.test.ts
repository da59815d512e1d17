/** A refusal of the server is told beside the input that it is about. */

import { describe, expect, test } from 'bun:test';
import { ApiError } from '../../../src/dashboard/web/api.ts';
import { errorOf } from '../../../src/dashboard/web/field-errors.ts';

const refusal = new ApiError(400, {
	error: 'Two things are wrong.',
	code: 'VALIDATION_ERROR',
	errors: [
		{ field: 'redirectUrl', code: 'INVALID_URL', message: 'redirectUrl must be an absolute http or https address.' },
		{ field: 'allowedDomains.1', code: 'INVALID_DOMAIN', message: 'allowedDomains.1 must be a domain.' },
	],
});

describe('an error beside its input', () => {
	test('does not repeat the name of the member', () => {
		expect(errorOf(refusal, 'redirectUrl')).toBe('This must be an absolute http or https address.');
	});

	test('names the member of a list that is wrong', () => {
		expect(errorOf(refusal, 'allowedDomains', ['ok.com', 'mple!.com'])).toBe('“mple!.com” must be a domain.');
	});

	test('is absent where nothing is wrong', () => {
		expect(errorOf(refusal, 'name')).toBeUndefined();
		expect(errorOf(undefined, 'name')).toBeUndefined();
	});
});
