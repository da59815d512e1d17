/** The bounded part of other servers' responses. */

import { expect, test } from 'bun:test';
import { createBeginning } from '../../src/network/bounded-response.ts';

test('keeps the beginning, and nothing of the chunks in which it came', () => {
	const beginning = createBeginning(5);
	const chunk = Buffer.from('abc');
	expect(beginning.add(chunk)).toBe(true);
	chunk.fill('x');
	expect(beginning.add(new TextEncoder().encode('defg'))).toBe(false);
	expect(beginning.soFar()).toBe('abcde');
});
