/** The answer to an accepted submission is made from shared headers, and must not share them. */

import { expect, test } from 'bun:test';
import { noteRequest } from '../../src/http/request-info.ts';
import { acceptedAnswer } from '../../src/intake/answers.ts';
import type { FormRow } from '../../src/storage/tables.ts';

const noPeer = { requestIP: () => null, timeout: () => {} };

function accept(id: string, remaining: number): Headers {
	const request = new Request('http://localhost/f/contact', {
		method: 'POST',
		headers: { Accept: 'application/json' },
	});
	noteRequest(request, { id, clientAddress: '127.0.0.1', path: '/f/contact', peer: noPeer, isAnswerMarked: false });
	const form = { allowedDomains: [] as string[] } as FormRow;
	const rate = { limit: 9, remaining, resetSeconds: 60 };
	return acceptedAnswer(request, { form, next: null, thanksUrl: 'http://localhost/thanks', rate }).headers;
}

test('each accepted submission keeps its own id and rate while others are answered', () => {
	const [first, second] = [accept('first', 5), accept('second', 4)];
	expect([first.get('X-Request-Id'), first.get('RateLimit-Remaining')]).toEqual(['first', '5']);
	expect([second.get('X-Request-Id'), second.get('RateLimit-Remaining')]).toEqual(['second', '4']);
	expect(first.get('Access-Control-Allow-Origin')).toBe('*');
	expect(first.get('X-Content-Type-Options')).toBe('nosniff');
});
