/** The models in memory say what their rows say, and take no more than their bound, in both engines. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
	addRow,
	createCounts,
	createLesson,
	encodeCounts,
	encodeLesson,
	learn,
} from '../../../src/spam/bayes/counts.ts';
import { createWordModels, type WordModels } from '../../../src/spam/bayes/models.ts';
import { readRow } from '../../../src/spam/bayes/stored-row.ts';
import { TOKENS_VERSION } from '../../../src/spam/bayes/tokens.ts';
import { spamModels } from '../../../src/storage/spam-tables.ts';
import { forms } from '../../../src/storage/tables.ts';
import { ENGINES } from '../../storage/engines.ts';

const LAST = 2 ** 20 - 1;
const bucket = fc.oneof(fc.nat(200), fc.constantFrom(0, LAST - 1, LAST), fc.nat(LAST));
const change = fc.record({ spam: fc.integer({ min: -300, max: 300 }), ham: fc.integer({ min: -1e6, max: 1e6 }) });

test('a row in memory says of each bucket what it says in the table of all', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(bucket, change), { maxLength: 2000 }), (changes) => {
			const lesson = { spam: 3, ham: 4, buckets: new Map(changes) };
			const counts = createCounts();
			addRow(counts, { ...lesson, counts: encodeLesson(lesson) });
			for (const text of [encodeLesson(lesson), encodeCounts(counts)]) {
				const row = readRow({ spam: 3, ham: 4, counts: text });
				expect(row.tokens).toEqual(counts.tokens);
				const near = changes.flatMap(([one]) => [one - 1, one, one + 1]).filter((one) => one >= 0 && one <= LAST);
				for (const one of [0, LAST, ...near]) {
					const looked = { spam: 0, ham: 0 };
					row.addTo(looked, one);
					expect(looked).toEqual({
						spam: counts.buckets[2 * one] as number,
						ham: counts.buckets[2 * one + 1] as number,
					});
				}
			}
		}),
		{ numRuns: 60 },
	);
});

test('a row that says of more buckets than it has is read to its end', () => {
	const numbers = new Uint32Array([0xffff_ffff, 9, 9, (5 << 12) | (1 << 6) | 2]);
	const row = readRow({ spam: 1, ham: 1, counts: new Uint8Array(numbers.buffer).toBase64() });
	const looked = { spam: 0, ham: 0 };
	for (const one of [0, 5, LAST]) row.addTo(looked, one);
	expect(looked).toEqual({ spam: 1, ham: 2 });
	const all: number[][] = [];
	row.forEach((...one) => void all.push(one));
	expect(all).toEqual([[5, 1, 2]]);
});

describe.each(Object.entries(ENGINES))('%s', (_name, createPlace) => {
	const FORMS = Array.from({ length: 60 }, (_, i) => ({ id: 100 + i, mode: 'live' as const }));
	const WORDS = 500;

	/** A model for each form, of words that no other form has. */
	async function open() {
		const storage = await (await createPlace())();
		const rows = FORMS.map(({ id, mode }, i) => {
			const lesson = createLesson();
			const words = Array.from({ length: WORDS }, (_, k) => i * 10_000 + 17 * k);
			for (let n = 0; n < 20; n++) learn(lesson, words, { isSpam: true, times: 1 });
			for (let n = 0; n < 20; n++) learn(lesson, [i * 10_000 + 1], { isSpam: false, times: 1 });
			const { spam, ham } = lesson;
			return {
				id: storage.nextId(),
				version: TOKENS_VERSION,
				mode,
				formId: id,
				spam,
				ham,
				counts: encodeLesson(lesson),
			};
		});
		await storage.batch((tx) => [
			tx.insert(forms).values(FORMS.map((form) => ({ ...form, slug: `form-${form.id}`, name: `${form.id}` }))),
			tx.insert(spamModels).values(rows),
		]);
		return storage;
	}

	async function ready(models: WordModels, form: (typeof FORMS)[number]): Promise<void> {
		for (let preparing = models.prepare(form); preparing; preparing = models.prepare(form)) await preparing;
	}

	/** Looks up a model as a submission to the form does in the turn in which it is there. */
	async function lookUp(models: WordModels, form: (typeof FORMS)[number]) {
		await ready(models, form);
		const looked = { spam: -1, ham: -1 };
		models.of(form).form?.look((form.id - 100) * 10_000 + 17, looked);
		return looked;
	}

	test('models of many forms take no more than the bound, and each submission is judged by the one of its form', async () => {
		const storage = await open();
		const one = createWordModels(storage);
		await ready(one, FORMS[0] as (typeof FORMS)[number]);
		const bytes = one.bytes();
		expect(bytes).toBeLessThan(20 * WORDS);
		const models = createWordModels(storage, { maxBytes: 10 * bytes });
		for (const form of [...FORMS, ...FORMS]) {
			expect(await lookUp(models, form)).toEqual({ spam: 20, ham: 0 });
			expect(models.bytes()).toBeLessThanOrEqual(10.5 * bytes);
		}
		// All at the same time: what one reads makes way for the others.
		const all = await Promise.all([...FORMS, ...FORMS, ...FORMS].map((form) => lookUp(models, form)));
		expect(all).toEqual(Array(3 * FORMS.length).fill({ spam: 20, ham: 0 }));
		expect(models.bytes()).toBeLessThanOrEqual(10.5 * bytes);
		await models.follow();
		expect(models.bytes()).toBeLessThanOrEqual(10.5 * bytes);
	});

	test('by default a thousand of them and more are in memory at one time', async () => {
		const storage = await open();
		const models = createWordModels(storage);
		for (const form of FORMS) await ready(models, form);
		for (const form of FORMS) expect(models.prepare(form)).toBeUndefined();
		expect((models.bytes() / FORMS.length) * 1000).toBeLessThan(16 * 2 ** 20);
	});

	test('a database that cannot be read does not hold up submissions', async () => {
		const storage = await open();
		const warnings: string[] = [];
		const select = () => {
			throw new Error('gone');
		};
		const broken = { ...storage, db: { ...storage.db, select } } as unknown as typeof storage;
		const log = { warn: (text: string) => warnings.push(text) } as never;
		const models = createWordModels(broken, { log });
		await ready(models, FORMS[0] as (typeof FORMS)[number]);
		expect(warnings).toHaveLength(1);
	});
});
