/** The owner's marks are learnt once, un-learnt exactly, and known to every server, in both engines. */

import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createWordModels } from '../../../src/spam/bayes/models.ts';
import { createTraining } from '../../../src/spam/bayes/training.ts';
import { weighWords } from '../../../src/spam/bayes/word-rules.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { spamMarks, spamModels } from '../../../src/storage/spam-tables.ts';
import { type FormRow, forms, submissions } from '../../../src/storage/tables.ts';
import { ENGINES } from '../../storage/engines.ts';

const FORM = 7;
const OTHER = 8;

describe.each(Object.entries(ENGINES))('%s', (_name, createPlace) => {
	async function open() {
		const reopen = await createPlace();
		const storage = await reopen();
		const row = (id: number) => ({ id, mode: 'live' as const, slug: `form-${id}`, name: `${id}` });
		await storage.batch((tx) => [tx.insert(forms).values([row(FORM), row(OTHER)])]);
		return { storage, reopen, ...parts(storage) };
	}

	function parts(storage: Storage) {
		const models = createWordModels(storage);
		const training = createTraining(storage, models);
		return {
			models,
			training,
			async learnAll() {
				while (await training.learn());
				await models.follow();
			},
		};
	}

	async function append(storage: Storage, text: string, formId = FORM): Promise<number> {
		const row = { formId, data: JSON.stringify({ text }), names: ['text'], spamReason: null };
		return storage.submissions.append({ ...row, subject: null, replyTo: null });
	}

	const mark = (storage: Storage, ids: number[], isSpam: boolean, formId = FORM) =>
		storage.submissions.change(formId, ids, { isSpam });
	/** As a form-level key does. */
	const markForForm = (storage: Storage, ids: number[], isSpam: boolean) =>
		storage.submissions.change(FORM, ids, { isSpam }, { teaches: 'form' });

	/** The models, merged, without the ids of their rows. */
	async function stored(storage: Storage, { training }: Pick<ReturnType<typeof parts>, 'training'>) {
		await training.merge(1);
		const { formId, mode, spam, ham, counts } = spamModels;
		return storage.db.select({ formId, mode, spam, ham, counts }).from(spamModels).orderBy(mode, formId);
	}

	const learnt = (storage: Storage) => storage.db.select({ learnt: spamMarks.learntSpam }).from(spamMarks);

	async function formRow(storage: Storage, id = FORM): Promise<FormRow> {
		const [row] = await storage.db.select().from(forms).where(eq(forms.id, id));
		return row as FormRow;
	}

	/** Twenty of each kind, of one form. */
	async function teach(storage: Storage, formId = FORM): Promise<{ spam: number[]; ham: number[] }> {
		const spam: number[] = [];
		const ham: number[] = [];
		for (let i = 0; i < 20; i++) {
			spam.push(await append(storage, `cheap pills number ${i}`, formId));
			ham.push(await append(storage, `a question about lesson ${i}`, formId));
		}
		await mark(storage, spam, true, formId);
		await mark(storage, ham, false, formId);
		return { spam, ham };
	}

	const said = async ({ models }: ReturnType<typeof parts>, form: FormRow, text: string) => {
		await models.prepare(form);
		const { form: own, mode } = weighWords(models, { form, data: JSON.stringify({ text }) });
		return { own: own?.points, all: mode?.points };
	};

	test.each(['{"text":"fi\\qrst"}', ''])(
		'a submission that is damaged to %p keeps none from being learnt',
		async (data) => {
			const { storage, learnAll } = await open();
			const ids = [await append(storage, 'first'), await append(storage, 'second')];
			const isFirst = eq(submissions.id, ids[0] as number);
			await storage.batch((tx) => [tx.update(submissions).set({ data }).where(isFirst)]);
			await mark(storage, ids, true);
			await learnAll();
			expect(await learnt(storage)).toEqual([{ learnt: true }, { learnt: true }]);
			await storage.close();
		},
	);

	test('a mark is learnt by the model of the form and that of all, once', async () => {
		const { storage, learnAll, training } = await open();
		const id = await append(storage, 'cheap pills');
		await mark(storage, [id], true);
		await learnAll();
		const [own, all] = (await stored(storage, { training })).toSorted((a, b) => Number(b.formId) - Number(a.formId));
		expect(own).toMatchObject({ formId: FORM, spam: 1, ham: 0 });
		expect(all).toMatchObject({ formId: null, mode: 'live', spam: 1, ham: 0, counts: own?.counts });
		await mark(storage, [id], true);
		expect(await training.learn()).toBe(false);
		await storage.close();
	});

	test('a mark of a form-level key teaches its form alone, and leaves what all forms learnt before and will learn', async () => {
		const { storage, learnAll, training } = await open();
		const id = await append(storage, 'cheap pills');
		const models = async () => {
			await learnAll();
			expect(await training.learn()).toBe(false);
			const rows = await stored(storage, { training });
			const says = (row?: { spam: number; ham: number }) => `${row?.spam ?? 0} ${row?.ham ?? 0}`;
			return [rows.find(({ formId }) => formId === FORM), rows.find(({ formId }) => formId === null)].map(says);
		};
		await markForForm(storage, [id], true);
		expect(await models()).toEqual(['1 0', '0 0']);
		await mark(storage, [id], true);
		expect(await models()).toEqual(['1 0', '1 0']);
		await markForForm(storage, [id], false);
		expect(await models()).toEqual(['0 1', '1 0']);
		await markForForm(storage, [id], true);
		await markForForm(storage, [id], false);
		expect(await models()).toEqual(['0 1', '1 0']);
		await training.relearn();
		expect(await models()).toEqual(['0 1', '1 0']);
		await mark(storage, [id], false);
		expect(await models()).toEqual(['0 1', '0 1']);
		// An older server that leads knows of one model only what it knows of the other: this one sets it right.
		await markForForm(storage, [id], true);
		await storage.batch((tx) => [tx.update(spamMarks).set({ learntSpam: true, learntForAll: null })]);
		await learnAll();
		const [row] = await storage.db.select().from(spamMarks);
		expect(row).toMatchObject({ isSpam: true, learntSpam: true, forAll: 0, learntForAll: 0 });
		await storage.close();
	});

	test('the stored model is byte-identical after a mark and its opposite, and after marks that were changed back', async () => {
		const { storage, learnAll, training } = await open();
		await teach(storage);
		const id = await append(storage, 'a message of many words, 12 pounds, see https://shop.example/x');
		await mark(storage, [id], false);
		await learnAll();
		const before = await stored(storage, { training });
		for (const isSpam of [true, false, true, false]) {
			await mark(storage, [id], isSpam);
			await learnAll();
		}
		expect(await stored(storage, { training })).toEqual(before);
		await storage.close();
	});

	test('nothing is said before twenty marks of each kind; then form and server each say theirs', async () => {
		const { storage, ...all } = await open();
		const form = await formRow(storage);
		const { spam } = await teach(storage);
		await mark(storage, spam.slice(0, 1), false);
		await all.learnAll();
		expect(await said(all, form, 'cheap pills')).toEqual({ own: undefined, all: undefined });
		await mark(storage, spam.slice(0, 1), true);
		await all.learnAll();
		const { own, all: server } = await said(all, form, 'cheap pills');
		expect(own).toBeGreaterThan(1);
		expect(server).toBe(own as number);
		expect((await said(all, form, 'a question about')).own).toBeLessThan(-1);
		expect(await said(all, await formRow(storage, OTHER), 'cheap pills')).toEqual({ own: undefined, all: server });
		await storage.close();
	});

	test('a mark that a crash interrupted is learnt after the restart, once', async () => {
		const { storage, training, models } = await open();
		const id = await append(storage, 'cheap pills');
		await mark(storage, [id], true);
		const interrupted = {
			...storage,
			batch: async () => {
				throw new Error('killed before the commit');
			},
		} as unknown as Storage;
		expect(createTraining(interrupted, models).learn()).rejects.toThrow('killed');
		expect(await learnt(storage)).toEqual([{ learnt: null }]);
		// Two that read the same mark: one of them learns it.
		await Promise.allSettled([training.learn(), createTraining(storage, models).learn()]);
		expect((await stored(storage, { training })).map(({ spam }) => spam)).toEqual([1, 1]);
		await storage.close();
	});

	test('rows that two merge at one time are merged once, and a model that is read meanwhile is whole', async () => {
		const { storage, training, learnAll, models, ...rest } = await open();
		const form = await formRow(storage);
		await teach(storage);
		await learnAll();
		for (const isSpam of [true, false]) {
			await mark(storage, [await append(storage, 'cheap pills')], isSpam);
			await learnAll();
		}
		// The cached rows are out of date when the model is needed.
		await parts(storage).training.merge(1);
		expect((await said({ models, training, learnAll, ...rest }, form, 'cheap pills')).own).toBeGreaterThan(0);
		await mark(storage, [await append(storage, 'cheap pills')], true);
		await learnAll();
		await Promise.all([training.merge(1), createTraining(storage, models).merge(1)]);
		expect((await stored(storage, { training })).map(({ spam, ham }) => [spam, ham])).toEqual([
			[22, 21],
			[22, 21],
		]);
		await storage.close();
	});

	test('rows of which another merged some at the time are left for the next merge', async () => {
		const { storage, training, learnAll, models } = await open();
		/** Merges with something else done before each of its transactions. */
		function mergeAfter(before: (run: () => Promise<unknown>) => Promise<unknown>): Promise<void> {
			const batch: Storage['batch'] = async (build) => {
				let done: ReturnType<typeof storage.batch> | undefined;
				const run = () => {
					done ??= storage.batch(build as never);
					return done;
				};
				await before(run);
				return (await run()) as never;
			};
			return createTraining({ ...storage, batch }, models).merge(1);
		}
		const learn = async () => {
			await mark(storage, [await append(storage, 'cheap pills')], true);
			await learnAll();
		};
		await learn();
		await learn();
		let isFirst = true;
		await mergeAfter(async (runOfTwo) => {
			if (!isFirst) return;
			isFirst = false;
			await learn();
			await mergeAfter(runOfTwo);
		});
		expect((await stored(storage, { training })).map(({ spam }) => spam)).toEqual([3, 3]);
		await storage.close();
	});

	test('a mark that changes while it is learnt is learnt as the owner said last', async () => {
		const { storage, training, learnAll, models } = await open();
		const id = await append(storage, 'cheap pills');
		await mark(storage, [id], true);
		const batch: Storage['batch'] = async (build) => {
			await mark(storage, [id], false);
			return storage.batch(build);
		};
		await createTraining({ ...storage, batch }, models).learn();
		await learnAll();
		for (const model of await stored(storage, { training })) expect(model).toMatchObject({ spam: 0, ham: 1 });
		await storage.close();
	});

	test('marks that are forgotten while they are learnt leave nothing behind', async () => {
		const { storage, training, models } = await open();
		const id = await append(storage, 'cheap pills');
		await mark(storage, [id], true);
		const batch: Storage['batch'] = async (build) => {
			await training.forget();
			return storage.batch(build);
		};
		await createTraining({ ...storage, batch }, models).learn();
		expect(await stored(storage, { training })).toEqual([]);
		await storage.close();
	});

	test('what a removed submission taught stays, and goes with the form', async () => {
		const { storage, learnAll, training } = await open();
		const id = await append(storage, 'cheap pills');
		await mark(storage, [id], true);
		await learnAll();
		const before = await stored(storage, { training });
		await storage.submissions.remove(FORM, [id]);
		await learnAll();
		expect(await stored(storage, { training })).toEqual(before);
		await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, FORM))]);
		expect((await stored(storage, { training })).map(({ formId }) => formId)).toEqual([null]);
		await storage.close();
	});

	test('what tokens of another version taught is learnt anew from the marks that are left', async () => {
		const { storage, learnAll, training } = await open();
		await teach(storage);
		await learnAll();
		const before = await stored(storage, { training });
		await storage.batch((tx) => [tx.update(spamModels).set({ version: 0, spam: 99 })]);
		await training.renew();
		await learnAll();
		expect(await stored(storage, { training })).toEqual(before);
		await storage.close();
	});

	test('rows that another build writes meanwhile are not merged with those of this one', async () => {
		const { storage, learnAll, training } = await open();
		await teach(storage);
		await learnAll();
		const [row] = await stored(storage, { training });
		if (!row) throw new Error('Nothing was learnt.');
		const others = [1, 2].map(() => ({ ...row, id: storage.nextId(), version: 0, counts: '/////////////w==' }));
		await storage.batch((tx) => [tx.insert(spamModels).values(others)]);
		expect(await stored(storage, { training })).toHaveLength(4);
		await storage.close();
	});

	test('another process knows what was learnt, merged, and forgotten', async () => {
		const { storage, reopen, learnAll, training } = await open();
		const other = await reopen();
		const there = parts(other);
		const form = await formRow(storage);
		expect(await said(there, form, 'cheap question')).toEqual({ own: undefined, all: undefined });
		await teach(storage);
		await learnAll();
		await there.models.follow();
		const first = await said(there, form, 'cheap question');
		expect(first.own).toBeLessThan(3);
		expect(first.own).not.toBe(0);
		const more = await append(storage, 'cheap question');
		await mark(storage, [more], true);
		await learnAll();
		await there.models.follow();
		const second = await said(there, form, 'cheap question');
		expect(second).not.toEqual(first);
		await training.merge(1);
		await there.models.follow();
		expect(await said(there, form, 'cheap question')).toEqual(second);
		await training.forget();
		await there.models.follow();
		expect(await said(there, form, 'cheap question')).toEqual({ own: undefined, all: undefined });
		await other.close();
		await storage.close();
	});
});
