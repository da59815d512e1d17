/** Responses to accepted submissions are built from shared headers, and must not affect each other. */

import { expect, test } from 'bun:test';
import { acceptedResponse } from '../../src/intake/responses.ts';
import type { FormRow } from '../../src/storage/tables.ts';

const PLACE = { prefix: '/f', endpoint: 'http://localhost/f', language: 'en' };

function accept(allowedDomains: string[], remaining: number, submissionId: number | null = remaining): Headers {
	const request = new Request('http://localhost/f/contact', {
		method: 'POST',
		headers: { Accept: 'application/json', Origin: 'https://example.com' },
	});
	const rate = { limit: 9, remaining, resetSeconds: 60 };
	const form = { allowedDomains, slug: 'contact', language: 'auto', aliases: [] as FormRow['aliases'] } as FormRow;
	return acceptedResponse({ request, form, rate }, { next: null, submissionId }, PLACE).headers;
}

test('each accepted submission keeps its own headers while others get responses', () => {
	const [open, restricted, last] = [accept([], 5), accept(['example.com'], 4), accept([], 3)];
	expect([open, restricted, last].map((headers) => headers.get('RateLimit-Remaining'))).toEqual(['5', '4', '3']);
	expect([open, restricted, last].map((headers) => headers.get('Access-Control-Allow-Origin'))).toEqual([
		'*',
		'https://example.com',
		'*',
	]);
	const idOf = (headers: Headers) => headers.get('Formsrv-Submission-Id');
	expect([open, restricted, accept([], 2, null), last].map(idOf)).toEqual(['5', '4', null, '3']);
	expect([open, restricted, last].map((headers) => headers.get('Vary'))).toEqual([null, 'Origin', null]);
});
