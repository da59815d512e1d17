/** The storage contract, as features rely on it: what is written, ids, settings and leaders. Each engine runs these tests as they are. */

import { describe, expect, test } from 'bun:test';
import { randomInt as random } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { AppEvent } from '../../src/events.ts';
import { encodeId } from '../../src/ids.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { FormGone, Unavailable, UniqueViolation } from '../../src/storage/errors.ts';
import type { StoredFile } from '../../src/storage/submission.ts';
import { deliveries, files, forms, removedFiles, webhooks } from '../../src/storage/tables.ts';
import { createTimeline } from '../../src/storage/timeline.ts';
import { until } from '../until.ts';
import { append, FORM, form, listIds, OTHER_FORM, open } from './contract.ts';
import { ENGINES } from './engines.ts';

describe.each(Object.entries(ENGINES))('%s', (_name, createPlace) => {
	describe('a batch', () => {
		test('is all or nothing, returns rows, and names a value that is taken', async () => {
			const { storage } = await open(createPlace);
			const [rows] = await storage.batch((tx) => [tx.insert(forms).values(form(1)).returning()]);
			expect(rows[0]).toMatchObject({ id: 1, slug: 'form-1' });
			const clash = storage.batch((tx) => [
				tx.insert(forms).values(form(2)),
				tx.insert(forms).values(form(3, 'form-1')),
			]);
			await expect(clash).rejects.toBeInstanceOf(UniqueViolation);
			expect(await storage.db.select().from(forms).where(eq(forms.id, 2))).toEqual([]);
			await storage.close();
		});

		test('is seen by who reads after it, and survives', async () => {
			const { storage, reopen } = await open(createPlace);
			await storage.batch((tx) => [tx.update(forms).set({ name: 'New' }).where(eq(forms.id, FORM))]);
			expect((await storage.findForm(encodeId(FORM))).name).toBe('New');
			await storage.close();
			const again = await reopen();
			expect((await again.findForm(encodeId(FORM), 'live')).name).toBe('New');
			await expect(again.findForm(encodeId(FORM), 'test')).rejects.toBeInstanceOf(FormGone);
			await again.close();
		});

		test('is refused once the storage is closed, and so is a submission', async () => {
			const { storage } = await open(createPlace);
			await storage.close();
			await expect(storage.batch((tx) => [tx.delete(forms)])).rejects.toBeInstanceOf(Unavailable);
			await expect(append(storage)).rejects.toBeInstanceOf(Unavailable);
		});
	});

	describe('a submission', () => {
		test('comes back as it was stored, whole and by parts', async () => {
			const { storage } = await open(createPlace);
			const data = '{"n":1.10,"e":"\\u0000 \\ud800","text":"日本語 🎉"}';
			const spamReasons = '[{"rule":"score","points":0.5,"detail":"日"}]';
			const meta = '{"page":"https://example.com/"}';
			const id = await append(storage, { data, subject: 'Hello', replyTo: 'a@example.com', spamReasons, meta });
			const flags = { isRead: false, isStarred: false, isSpam: false, isPending: false, isArchived: false };
			const texts = { spamReason: null, spamReasons, meta };
			const shown = { ...flags, id, data, ...texts, confirmedAt: null, labels: null, note: null };
			const whole = { ...shown, subject: 'Hello', replyTo: 'a@example.com', addressKey: null };
			const { submissions } = storage;
			expect(await submissions.get(FORM, id)).toEqual(whole);
			expect(await submissions.entries(FORM, [id, 1])).toEqual([shown]);
			expect(await submissions.head(FORM, id)).toEqual({ ...flags, id, formId: FORM, bytes: Buffer.byteLength(data) });
			expect(Buffer.from((await submissions.text({ formId: FORM, id })) ?? '').toString()).toBe(data);
			expect(Buffer.from((await submissions.text({ formId: FORM, id }, 5)) ?? '').toString()).toBe('{"n":');
			for (const none of [
				submissions.get(OTHER_FORM, id),
				submissions.head(FORM, 1),
				submissions.text({ formId: FORM, id: 1 }),
			])
				expect(await none).toBeUndefined();
			await storage.close();
		});

		test('keeps each of what it may have besides its text, alone and among others', async () => {
			const { storage } = await open(createPlace);
			const besides = {
				spamReason: 'score',
				subject: '',
				replyTo: 'a@example.com',
				spamReasons: '[]',
				meta: '{}',
				addressKey: 'k',
			};
			const none = { spamReason: null, subject: null, replyTo: null, spamReasons: null, meta: null, addressKey: null };
			const rows = [...Object.entries(besides).map(([name, value]) => ({ ...none, [name]: value })), none];
			for (const together of [...rows.map((row) => [row]), rows]) {
				const ids = await Promise.all(together.map((row) => append(storage, row)));
				for (const [i, row] of together.entries()) {
					const stored = { ...row, isSpam: row.spamReason !== null };
					expect(await storage.submissions.get(FORM, ids[i] as number)).toMatchObject(stored);
				}
			}
			await storage.close();
		});

		test('is told of after the commit', async () => {
			const { storage } = await open(createPlace);
			const heard: AppEvent[] = [];
			storage.events.subscribe(['submission', 'change'], (event) => heard.push(event));
			const id = await append(storage);
			await storage.submissions.change(FORM, [id], { isRead: true });
			expect(heard).toEqual([
				{ type: 'submission', formId: FORM, submissionId: id },
				{ type: 'change', formId: FORM },
			]);
			await storage.close();
		});

		test('is stored with its deliveries, without those to a webhook that is gone', async () => {
			const { storage } = await open(createPlace);
			await storage.batch((tx) => [
				tx.insert(webhooks).values({ id: 1, formId: FORM, url: 'https://a.example', secret: 's', events: [] }),
			]);
			const to = (webhookId: number) =>
				({
					id: storage.nextId(),
					formId: FORM,
					channel: 'webhook',
					webhookId,
					state: 'waiting',
					destination: 'x',
				}) as const;
			const id = await append(storage, { deliveries: [to(1), to(2)] });
			const rows = await storage.db.select().from(deliveries);
			expect(rows.map(({ submissionId, webhookId }) => [submissionId, webhookId])).toEqual([[id, 1]]);
			await storage.close();
		});

		describe('with files', () => {
			const file = (storage: Storage, more: Partial<StoredFile> = {}): StoredFile => ({
				id: storage.nextId(),
				field: 'cv',
				name: 'Ada "Λ".pdf',
				type: 'application/pdf',
				claimedType: 'text/html',
				bytes: 10,
				sha256: 'ab'.repeat(32),
				key: crypto.randomUUID(),
				scan: null,
				...more,
			});
			const dueOf = async (storage: Storage, key: string | null) =>
				(await storage.db.select().from(removedFiles)).find((row) => row.key === key)?.dueAt;
			const removedKeys = async (storage: Storage) =>
				(await storage.db.select().from(removedFiles)).map(({ key }) => key).sort();

			test('has them in the order sent, and its form their bytes', async () => {
				const { storage } = await open(createPlace);
				const sent = [file(storage), file(storage, { field: 'photo', bytes: 0, scan: 'unchecked' })];
				const spam = [file(storage, { bytes: 1000, key: null })];
				expect(await storage.submissions.hasFiles(FORM)).toBe(false);
				const id = await append(storage, { files: sent });
				const spamId = await append(storage, { files: spam, spamReason: 'honeypot' });
				const otherId = await append(storage, { formId: OTHER_FORM, files: [file(storage, { bytes: 3 })] });
				const { submissions } = storage;
				const found = await submissions.files([id, await append(storage), spamId]);
				expect([...found]).toEqual([
					[id, sent],
					[spamId, spam],
				]);
				expect((await submissions.files([otherId])).get(otherId)?.[0]?.bytes).toBe(3);
				const bytes = [FORM, OTHER_FORM, 1].map(submissions.fileBytes);
				expect(await Promise.all([...bytes, submissions.fileBytes()])).toEqual([8192, 4096, 0, 12_288]);
				expect(await Promise.all([FORM, OTHER_FORM, 1].map(submissions.hasFiles))).toEqual([true, true, false]);
				await storage.close();
			});

			test('takes 4 KiB of the quota for each that is kept, or its size, and gives exactly that back', async () => {
				const { storage } = await open(createPlace);
				const stored: number[] = [];
				const room = async () => {
					const rows = await storage.db.select({ bytes: files.bytes, key: files.key }).from(files);
					return rows.reduce((sum, { bytes, key }) => sum + (key === null ? 0 : Math.max(bytes, 4096)), 0);
				};
				const one = () => {
					const bytes = [0, 1, 4095, 4096, 4097, random(0, 20_000)][random(0, 6)] as number;
					return file(storage, { bytes, ...(random(0, 5) === 0 && { key: null }) });
				};
				for (let step = 0; step < 60; step++) {
					const isRemoval = stored.length > 0 && random(0, 3) === 0;
					if (isRemoval) await storage.submissions.remove(FORM, stored.splice(random(0, stored.length), random(1, 4)));
					else stored.push(await append(storage, { files: Array.from({ length: random(0, 6) }, one) }));
					expect(await storage.submissions.fileBytes(FORM)).toBe(await room());
				}
				await storage.submissions.remove(FORM, stored);
				expect(await storage.submissions.fileBytes()).toBe(0);
				await storage.close();
			});

			test('is stored with all of them or not at all', async () => {
				const { storage } = await open(createPlace);
				const { key } = file(storage);
				await append(storage, { files: [file(storage, { key })] });
				await expect(append(storage, { files: [file(storage), file(storage, { key })] })).rejects.toBeInstanceOf(
					UniqueViolation,
				);
				expect(await storage.db.select({ key: files.key }).from(files)).toEqual([{ key }]);
				expect(await storage.submissions.fileBytes()).toBe(4096);
				await storage.close();
			});

			test('leaves their keys to be removed when it is removed, or swept with its form', async () => {
				const { storage } = await open(createPlace);
				const sent = Array.from({ length: 5 }, () => file(storage));
				const [a, b, c, d, e] = sent as [StoredFile, StoredFile, StoredFile, StoredFile, StoredFile];
				const first = await append(storage, { files: [a, b, file(storage, { key: null })] });
				await append(storage, { files: [c] });
				await append(storage, { files: [d] });
				await append(storage, { formId: OTHER_FORM, files: [e] });
				const keys = (...of: StoredFile[]) => of.map(({ key }) => key as string).sort();
				// As of a file that was stored just now.
				await storage.batch((tx) => [tx.insert(removedFiles).values({ key: a.key as string, dueAt: 2 ** 52 })]);
				await storage.submissions.remove(FORM, [first]);
				expect(await dueOf(storage, a.key)).toBe(0);
				expect(await removedKeys(storage)).toEqual(keys(a, b));
				expect(await storage.submissions.fileBytes(FORM)).toBe(8192);
				await storage.batch((tx) => [tx.update(forms).set({ deletedAt: 1 }).where(eq(forms.id, FORM))]);
				await storage.submissions.sweep(FORM, 1);
				expect(await removedKeys(storage)).toEqual(keys(a, b, c));
				await storage.submissions.sweep(FORM, 5);
				await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, FORM))]);
				expect(await removedKeys(storage)).toEqual(keys(a, b, c, d));
				expect(await storage.db.select({ key: files.key }).from(files)).toEqual([{ key: e.key }]);
				expect(await storage.submissions.fileBytes()).toBe(4096);
				await storage.close();
			});
		});

		test('of a deleted form is refused, and one of the same moment is not', async () => {
			const { storage } = await open(createPlace);
			await storage.batch((tx) => [tx.update(forms).set({ deletedAt: 1 }).where(eq(forms.id, FORM))]);
			const [gone, other] = await Promise.allSettled([append(storage), append(storage, { formId: OTHER_FORM })]);
			expect(gone).toMatchObject({ status: 'rejected', reason: expect.any(FormGone) });
			expect(other.status).toBe('fulfilled');
			await storage.close();
		});

		test('is stored once under a key, until that expires', async () => {
			const { storage } = await open(createPlace);
			const under = (createdAt: number, since: number) =>
				append(storage, { idempotencyKey: { formId: FORM, key: 'k', bodyHash: 'h', next: null, createdAt, since } });
			const first = await under(100, 50);
			await expect(under(120, 99)).rejects.toBeInstanceOf(UniqueViolation);
			const second = await under(200, 100);
			expect(await listIds(storage)).toEqual([first, second]);
			await storage.close();
		});
	});

	test('ids ascend, are unique across processes, and stand for their moment', async () => {
		const { storage, reopen } = await open(createPlace);
		const other = await reopen();
		const ids = Array.from({ length: 1000 }, (_, i) => (i % 2 ? storage : other).nextId());
		expect(new Set(ids).size).toBe(1000);
		const own = ids.filter((_, i) => i % 2);
		expect(own).toEqual(own.toSorted((a, b) => a - b));
		expect(Math.abs(createTimeline([]).millisOf(own[0] as number) - Date.now())).toBeLessThan(60_000);
		expect(storage.clock.end()).toBeGreaterThan(own.at(-1) as number);
		const stored = await append(storage);
		await until(async () => (await storage.clock.horizon()) > stored);
		await other.close();
		await storage.close();
	});

	test('settings that change here or elsewhere move their version; submissions do not', async () => {
		const { storage, reopen } = await open(createPlace);
		const rename = (by: Storage, name: string) => by.batch((tx) => [tx.update(forms).set({ name })]);
		const versions = [await storage.settingsVersion()];
		await append(storage);
		expect(await storage.settingsVersion()).toBe(versions[0] as number);
		await rename(storage, 'One');
		versions.push(await storage.settingsVersion());
		const other = await reopen();
		await rename(other, 'Two');
		await new Promise((resolve) => setImmediate(resolve));
		versions.push(await storage.settingsVersion());
		expect(new Set(versions).size).toBe(3);
		await other.close();
		await storage.close();
	});

	test('the leader of a kind of work starts it, and is told how to stop', async () => {
		const { storage } = await open(createPlace);
		const started = Promise.withResolvers<void>();
		const graces: number[] = [];
		const stop = storage.lead('maintenance', () => {
			started.resolve();
			return async (graceMs) => void graces.push(graceMs);
		});
		await started.promise;
		await stop(50);
		expect(graces).toEqual([50]);
		await storage.close();
	});
});
