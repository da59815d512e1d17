/** Never two genuine submissions with one unique value, in whatever order they come, go and are marked, on each engine. */

import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Storage } from '../../src/storage/contract.ts';
import { FormFull, UniqueViolation, ValueTaken } from '../../src/storage/errors.ts';
import { forms, idempotencyKeys } from '../../src/storage/tables.ts';
import { uniqueValues } from '../../src/storage/unique-table.ts';
import { seeded } from '../seeded.ts';
import { append, FORM, listIds, open } from './contract.ts';
import { ENGINES } from './engines.ts';

type Outcome = number | 'taken' | 'key in use' | 'full';

async function send(storage: Storage, row: Parameters<typeof append>[1]): Promise<Outcome> {
	try {
		return await append(storage, row);
	} catch (error) {
		if (error instanceof ValueTaken) return 'taken';
		if (error instanceof UniqueViolation) return 'key in use';
		if (error instanceof FormFull) return 'full';
		throw error;
	}
}

const stored = (outcomes: readonly Outcome[]) => outcomes.filter((one) => typeof one === 'number') as number[];
const keyed = (key: string) => ({ formId: FORM, key, bodyHash: 'h', createdAt: Date.now(), since: 0 });

describe.each(Object.entries(ENGINES))('%s', (_, createPlace) => {
	test('of a thousand at once with ten values ten are stored, spam aside, and only they have keys', async () => {
		const { storage } = await open(createPlace);
		const outcomes = await Promise.all(
			Array.from({ length: 1000 }, (_, i) =>
				send(storage, {
					uniqueHashes: [`v${i % 10}`, ...(i % 3 === 0 ? [`w${i}`] : [])],
					spamReason: i % 4 === 3 ? 'score' : null,
					...(i % 7 === 0 && { idempotencyKey: keyed(`k${i}`) }),
				}),
			),
		);
		const genuine = outcomes.filter((_, i) => i % 4 !== 3);
		expect(stored(genuine)).toHaveLength(10);
		expect(genuine.filter((one) => one === 'taken')).toHaveLength(740);
		expect(await listIds(storage)).toHaveLength(10);
		const keys = await storage.db.select().from(idempotencyKeys);
		expect(keys).toHaveLength(stored(outcomes.filter((_, i) => i % 7 === 0)).length);
		await storage.close();
	});

	test('a value is free once its submission is spam or gone, and taken again by the first one that is genuine', async () => {
		const { storage } = await open(createPlace);
		const { submissions } = storage;
		const first = (await send(storage, { uniqueHashes: ['v'] })) as number;
		expect(await send(storage, { uniqueHashes: ['v'] })).toBe('taken');
		await submissions.change(FORM, [first], { isSpam: true });
		const second = (await send(storage, { uniqueHashes: ['v'] })) as number;
		expect(second).toBeNumber();
		// Its value is taken meanwhile: it is genuine without holding it.
		expect(await submissions.change(FORM, [first], { isSpam: false })).toEqual([first]);
		await submissions.remove(FORM, [second]);
		// It has it now.
		expect(await send(storage, { uniqueHashes: ['v'] })).toBe('taken');
		await submissions.change(FORM, [first], { isSpam: true });
		const third = (await send(storage, { uniqueHashes: ['v'] })) as number;
		expect(third).toBeNumber();
		await submissions.change(FORM, [first, third], { isSpam: true });
		await submissions.change(FORM, [third, first], { isSpam: false });
		expect(await send(storage, { uniqueHashes: ['v'] })).toBe('taken');
		const rows = await storage.db.select().from(uniqueValues).where(eq(uniqueValues.isHeld, true));
		expect(rows.map(({ submissionId }) => submissionId)).toEqual([first]);
		await submissions.remove(FORM, [first, third]);
		expect(await storage.db.select().from(uniqueValues)).toEqual([]);
		await storage.close();
	});

	test('a form with both a bound and unique values keeps to both', async () => {
		const { storage } = await open(createPlace);
		await storage.batch((tx) => [tx.update(forms).set({ maxSubmissions: 5 }).where(eq(forms.id, FORM))]);
		const outcomes = await Promise.all(
			Array.from({ length: 60 }, (_, i) => send(storage, { uniqueHashes: [`v${i % 20}`] })),
		);
		expect(stored(outcomes)).toHaveLength(5);
		await storage.close();
	});

	test('submissions from before the rule hold their values, the older first, and no value twice', async () => {
		const { storage } = await open(createPlace);
		const { submissions } = storage;
		const spam = await append(storage, { spamReason: 'x' });
		const [a, b, c, d] = [await append(storage), await append(storage), await append(storage), await append(storage)];
		for (let i = 0; i < 2; i++)
			await submissions.holdValues(
				FORM,
				[spam, a, b, c, d, 12345].map((id) => ({ id, hashes: ['v'] })),
			);
		const holders = async () =>
			(await storage.db.select().from(uniqueValues).where(eq(uniqueValues.isHeld, true))).map(
				(row) => row.submissionId,
			);
		expect(await holders()).toEqual([a]);
		// Those that stay have the value still.
		await submissions.remove(FORM, [a, b]);
		expect(await holders()).toEqual([c]);
		await submissions.change(FORM, [c], { isSpam: true });
		expect(await holders()).toEqual([d]);
		expect(await send(storage, { uniqueHashes: ['v'] })).toBe('taken');
		await submissions.remove(FORM, [d]);
		expect(await send(storage, { uniqueHashes: ['v'] })).toBeNumber();
		await storage.close();
	});

	test('random steps of two servers never leave two genuine submissions that hold one value', async () => {
		const reopen = await createPlace();
		const first = await reopen();
		// Two servers share a database only on PostgreSQL.
		const servers = first.isShared ? [first, await reopen()] : [first];
		await first.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'f', name: 'f' })]);
		const random = seeded(27);
		/** The values of all that were stored. */
		const values = new Map<number, string>();
		/** Taken out of spam, perhaps when another one had the value. */
		const released = new Set<number>();

		async function store(storage: Storage, spamReason: string | null): Promise<void> {
			const hash = `v${random(6)}`;
			const id = await send(storage, { uniqueHashes: [hash], spamReason });
			if (typeof id === 'number') values.set(id, hash);
		}

		async function step(storage: Storage): Promise<void> {
			const kind = random(20);
			if (kind < 10) return store(storage, kind < 2 ? 'score' : null);
			const known = [...values.keys(), 1];
			const ids = Array.from({ length: 3 }, () => known[random(known.length)] as number);
			if (kind < 13) await storage.submissions.change(FORM, ids, { isSpam: true });
			else if (kind < 16) {
				for (const id of ids) released.add(id);
				await storage.submissions.change(FORM, ids, { isSpam: false });
			} else await storage.submissions.remove(FORM, ids);
		}

		for (let round = 0; round < 60; round++) {
			await Promise.all(Array.from({ length: 20 }, () => step(servers[random(servers.length)] as Storage)));
			const rows = await first.db.select().from(uniqueValues).where(eq(uniqueValues.isHeld, true));
			const genuine = await first.submissions.ids({ formId: FORM, filter: 'all' }, { order: 'asc', limit: 5000 });
			expect(new Set(rows.map((row) => row.hash)).size).toBe(rows.length);
			expect(rows.filter(({ submissionId }) => !genuine.includes(submissionId))).toEqual([]);
			const never = genuine.filter((id) => !released.has(id)).map((id) => values.get(id));
			expect(new Set(never).size).toBe(never.length);
			const taken = new Set(rows.map((row) => row.hash));
			expect(genuine.filter((id) => !taken.has(values.get(id) as string))).toEqual([]);
			// A genuine one without its value met another one that had it.
			const held = new Set(rows.map((row) => row.submissionId));
			expect(genuine.filter((id) => !held.has(id) && !released.has(id))).toEqual([]);
		}
		expect(values.size).toBeGreaterThan(50);
		for (const storage of servers) await storage.close();
	}, 60_000);
});
