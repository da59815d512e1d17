/** A form that takes only so many submissions never has more, whoever sends them at whatever time, on each engine. */

import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Storage } from '../../src/storage/contract.ts';
import { FormFull, UniqueViolation } from '../../src/storage/errors.ts';
import type { NewSubmission } from '../../src/storage/submission.ts';
import { deliveries, forms, idempotencyKeys } from '../../src/storage/tables.ts';
import { until } from '../until.ts';
import { ENGINES } from './engines.ts';

const FORM = 7;
const OTHER_FORM = 8;
const CONCURRENT = 10_000;

type Outcome = 'stored' | 'full' | 'key in use';

describe.each(Object.entries(ENGINES))('%s', (engine, createPlace) => {
	async function open(maxSubmissions: number | null) {
		const reopen = await createPlace();
		const storage = await reopen();
		const row = { mode: 'live', name: 'n' } as const;
		await storage.batch((tx) => [
			tx.insert(forms).values([
				{ ...row, id: FORM, slug: 'bounded', maxSubmissions },
				{ ...row, id: OTHER_FORM, slug: 'other', maxSubmissions: null },
			]),
		]);
		return { storage, reopen };
	}

	async function append(storage: Storage, row: Partial<NewSubmission> = {}): Promise<Outcome> {
		const whole = { formId: FORM, data: '{"a":1}', names: ['a'], spamReason: null, subject: null, replyTo: null };
		try {
			await storage.submissions.append({ ...whole, ...row });
			return 'stored';
		} catch (error) {
			if (error instanceof FormFull) return 'full';
			if (error instanceof UniqueViolation) return 'key in use';
			throw error;
		}
	}

	const keyed = (key: string) => ({ formId: FORM, key, bodyHash: 'h', createdAt: Date.now(), since: 0 });
	const mail = (storage: Storage) =>
		[{ id: storage.nextId(), formId: FORM, channel: 'mail', state: 'waiting', destination: 'x' }] as const;
	const count = (list: readonly Outcome[]) => ({
		stored: list.filter((one) => one === 'stored').length,
		full: list.filter((one) => one === 'full').length,
	});
	const totals = async (storage: Storage, formId = FORM) => {
		const counts = (await storage.submissions.counts([formId])).get(formId);
		return [counts?.total, counts?.spam];
	};
	const setMost = (storage: Storage, maxSubmissions: number | null) =>
		storage.batch((tx) => [tx.update(forms).set({ maxSubmissions }).where(eq(forms.id, FORM))]);

	test('of 10,000 at once exactly so many are stored, with their mails, and spam does not count', async () => {
		const { storage } = await open(123);
		const row = (i: number): Partial<NewSubmission> => {
			if (i % 5 === 1) return { spamReason: 'honeypot' };
			if (i % 5 === 2) return { deliveries: mail(storage) };
			if (i % 5 === 3) return { idempotencyKey: keyed(`k${i}`) };
			return i % 5 === 4 ? { formId: OTHER_FORM } : {};
		};
		const outcomes = await Promise.all(Array.from({ length: CONCURRENT }, (_, i) => append(storage, row(i))));
		const share = CONCURRENT / 5;
		expect(count(outcomes.filter((_, i) => i % 5 === 1))).toEqual({ stored: share, full: 0 });
		expect(count(outcomes.filter((_, i) => i % 5 === 4))).toEqual({ stored: share, full: 0 });
		expect(count(outcomes)).toEqual({ stored: 2 * share + 123, full: 3 * share - 123 });
		expect(await totals(storage)).toEqual([123, share]);
		const mails = await storage.db.select().from(deliveries);
		expect(mails).toHaveLength(outcomes.filter((one, i) => i % 5 === 2 && one === 'stored').length);
		const keys = await storage.db.select().from(idempotencyKeys);
		expect(keys).toHaveLength(outcomes.filter((one, i) => i % 5 === 3 && one === 'stored').length);
		await storage.close();
	}, 60_000);

	test('a place is free once a submission is spam or gone, and taken again once it is neither', async () => {
		const { storage } = await open(2);
		const fill = () => append(storage);
		expect([await fill(), await fill(), await fill()]).toEqual(['stored', 'stored', 'full']);
		const all = { formId: FORM, filter: 'all' } as const;
		const [first = 0, second = 0] = await storage.submissions.ids(all, { order: 'asc', limit: 2 });
		await storage.submissions.change(FORM, [first], { isSpam: true });
		expect([await fill(), await fill()]).toEqual(['stored', 'full']);
		await storage.submissions.change(FORM, [first], { isSpam: false });
		expect(await totals(storage)).toEqual([3, 0]);
		await storage.submissions.remove(FORM, [first]);
		expect(await fill()).toBe('full');
		await storage.submissions.remove(FORM, [second]);
		expect([await fill(), await fill()]).toEqual(['stored', 'full']);
		await setMost(storage, 0);
		expect([await fill(), await append(storage, { spamReason: 'x' })]).toEqual(['full', 'stored']);
		await setMost(storage, null);
		expect(await Promise.all([fill(), fill(), fill()])).toEqual(['stored', 'stored', 'stored']);
		await storage.close();
	});

	test('a key that is in use says so although the form is full by now', async () => {
		const { storage } = await open(1);
		expect(await append(storage, { idempotencyKey: keyed('k') })).toBe('stored');
		expect(await append(storage, { idempotencyKey: keyed('other') })).toBe('full');
		if (engine === 'postgres') expect(await append(storage, { idempotencyKey: keyed('k') })).toBe('key in use');
		await storage.close();
	});

	test('a bound that is set while submissions arrive holds at once', async () => {
		const { storage, reopen } = await open(null);
		const servers = storage.isShared ? [storage, await reopen(), await reopen()] : [storage];
		const outcomes: Outcome[] = [];
		let isOver = false;
		const produce = async (server: Storage) => {
			while (!isOver) outcomes.push(await append(server));
		};
		const producing = servers.flatMap((server) => Array.from({ length: 16 }, () => produce(server)));
		await until(() => count(outcomes).stored >= 100, { everyMs: 1 });
		await setMost(storage, 300);
		await until(() => count(outcomes).full >= 100, { everyMs: 1 });
		isOver = true;
		await Promise.all(producing);
		// There may be more from before the bound.
		expect((await totals(storage))[0]).toBe(count(outcomes).stored);
		await setMost(storage, count(outcomes).stored + 500);
		const more = await Promise.all(servers.flatMap((server) => Array.from({ length: 1000 }, () => append(server))));
		expect(count(more).stored).toBe(500);
		expect((await totals(storage))[0]).toBe(count(outcomes).stored + 500);
		for (const server of servers) await server.close();
	}, 60_000);
});
