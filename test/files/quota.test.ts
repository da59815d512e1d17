/** The quota of attached files while the database is asked: what was stored meanwhile counts. */

import { expect, test } from 'bun:test';
import { createFileQuota } from '../../src/files/quota.ts';
import type { Storage } from '../../src/storage/contract.ts';

const FORM = 1;

/** Ten bytes, of which six are about to be stored while the database is asked, which answers as it was then. */
async function openAsked() {
	let stored = 0;
	let gate = Promise.resolve();
	const fileBytes = () => {
		const then = stored;
		return gate.then(() => then);
	};
	const quota = createFileQuota({ submissions: { fileBytes } } as unknown as Storage, { quota: 10, formQuota: 10 });
	const first = quota.open(FORM);
	expect(await first.take(6)).toBe(true);
	quota.open(FORM).release();
	const { promise, resolve } = Promise.withResolvers<void>();
	gate = promise;
	const asked = quota.open(FORM).take(1);
	stored = 6;
	first.release();
	return { quota, asked, answer: resolve };
}

test('bytes that are stored while the database is asked count, though its answer is older', async () => {
	const { quota, asked, answer } = await openAsked();
	answer();
	expect(await asked).toBe(true);
	expect(await quota.open(FORM).take(4)).toBe(false);
	expect(await quota.open(FORM).take(3)).toBe(true);
});

test('bytes that were stored while the database was asked do not count twice', async () => {
	const { quota, asked, answer } = await openAsked();
	const later = quota.open(FORM).take(3);
	answer();
	expect(await Promise.all([asked, later])).toEqual([true, true]);
	expect(await quota.open(FORM).take(1)).toBe(false);
});
