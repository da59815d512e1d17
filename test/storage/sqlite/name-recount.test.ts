/** The listed field names where there are more than fit: through junk, deletions, spam marks and restarts. */

import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { createNameCounter } from '../../../src/storage/sqlite/name-count.ts';
import { openSqlite as openStorage, type SqliteStorage } from '../../../src/storage/sqlite/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { SCANS } from '../../../src/submissions/scan-module.ts';
import { openTestServer } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';

const MAX = 6;
const FORMS = [7, 8];

interface Row {
	id: number;
	formId: number;
	names: string[];
	isSpam: boolean;
}

/** Returns the names to be listed, by a look at everything: the most frequent, and of about equally frequent ones, within a power of two, the first. */
function expected(rows: Row[], formId: number, isSpam: boolean): string[] {
	const counts = new Map<string, number>();
	for (const row of rows.filter((one) => one.formId === formId && one.isSpam === isSpam)) {
		for (const name of row.names) counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	const names = [...counts.keys()];
	const power = (name: string) => Math.floor(Math.log2(counts.get(name) as number));
	const chosen = new Set(names.toSorted((a, b) => power(b) - power(a)).slice(0, MAX));
	return names.filter((name) => chosen.has(name));
}

function openDeliveryFixture(file: string) {
	const storage = openStorage(file, { maxListedNames: MAX, scans: SCANS });
	const { names } = storage;
	return {
		storage,
		async listed(formId: number, isSpam: boolean): Promise<string[]> {
			// A busy machine may take longer than a caller waits.
			for (let i = 0; i < 20 && storage.submissions.staleNames(formId, isSpam) !== undefined; i++) {
				await names.settle(formId, isSpam);
			}
			return JSON.parse(storage.submissions.namesJson(formId, isSpam)) as string[];
		},
		close: storage.close,
	};
}

const place = fc.double({ min: 0, max: 0.999, noNaN: true });
const formId = fc.constantFrom(...FORMS);
const count = fc.integer({ min: 1, max: 6 });
const step = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant('append' as const),
			formId,
			count,
			isSpam: fc.boolean(),
			names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '__proto__', 'ä', '"', '\ud800', ''), { minLength: 1 }),
		}),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('junk' as const), formId, count, isSpam: fc.boolean() }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), place, count }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('mark' as const), place, count, isSpam: fc.boolean() }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A store and the names that it must know, changed together. */
async function openWorld() {
	const file = join(tempFolder(), 'formsrv.db');
	let fixture = openDeliveryFixture(file);
	let rows: Row[] = [];
	let junk = 0;
	await fixture.storage.batch((tx) =>
		FORMS.map((id) => tx.insert(forms).values({ id, mode: 'live', slug: `f${id}`, name: 'F' })),
	);

	async function append(form: number, { names, isSpam }: { names: string[]; isSpam: boolean }) {
		const data = `{${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`;
		const row = { formId: form, data, names, subject: null, replyTo: null };
		const id = await fixture.storage.submissions.append({ ...row, spamReason: isSpam ? 'honeypot' : null });
		rows.push({ id, formId: form, names, isSpam });
	}

	/** Some that follow one another, by form. */
	const pick = ({ place: at, count: many }: { place: number; count: number }) =>
		Map.groupBy(rows.slice(Math.floor(at * rows.length)).slice(0, many), (row) => row.formId);

	const steps: { [Name in Step['do']]: (one: Extract<Step, { do: Name }>) => Promise<unknown> } = {
		append: (one) => Promise.all(Array.from({ length: one.count }, () => append(one.formId, one))),
		junk: ({ count: many, isSpam, formId: form }) =>
			append(form, { names: Array.from({ length: many }, () => `junk${junk++}`), isSpam }),
		async remove(one) {
			for (const [form, picked] of pick(one)) {
				const ids = picked.map(({ id }) => id);
				await fixture.storage.submissions.remove(form, ids);
				rows = rows.filter(({ id }) => !ids.includes(id));
			}
		},
		async mark(one) {
			for (const [form, picked] of pick(one)) {
				const ids = picked.map(({ id }) => id);
				await fixture.storage.submissions.change(form, ids, { isSpam: one.isSpam });
				for (const row of picked) row.isSpam = one.isSpam;
			}
		},
		async restart() {
			await fixture.close();
			fixture = openDeliveryFixture(file);
		},
	};

	return {
		take: (one: Step) => (steps[one.do] as (one: Step) => Promise<unknown>)(one),
		async check() {
			for (const form of FORMS) {
				for (const isSpam of [false, true]) {
					const listed = await fixture.listed(form, isSpam);
					expect(listed.toSorted()).toEqual(expected(rows, form, isSpam).toSorted());
				}
			}
		},
		close: () => fixture.close(),
	};
}

test('what is listed is what a look at all submissions would list, through any history', async () => {
	const histories = fc.array(fc.tuple(step, fc.boolean()), { minLength: 3, maxLength: 14 });
	await fc.assert(
		fc.asyncProperty(histories, async (history) => {
			const world = await openWorld();
			for (const [one, isLookedAt] of history) {
				await world.take(one);
				if (isLookedAt) await world.check();
			}
			await world.check();
			await world.close();
		}),
		{ numRuns: 60 },
	);
}, 120_000);

const server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
afterAll(server.close);

async function openForm() {
	const { id } = await server.app.forms.create('live', { name: 'Contact' });
	const { slug } = await server.app.forms.get(id);
	const junkIds: string[] = [];
	return {
		send: async (fields: object) => expect((await server.submit(slug, fields)).status).toBe(200),
		/** Three times 990 names, of which as many submissions have each, and no other. */
		async sendJunk(times = 1) {
			const prefixes = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
			for (const prefix of prefixes.flatMap((each) => Array<string>(times).fill(each))) {
				const names = Array.from({ length: 990 }, (_, at) => [`${prefix}-${at}`, 'x']);
				expect((await server.submit(slug, Object.fromEntries(names))).status).toBe(200);
				const { body } = await server.call<{ submissions: { id: string }[] }>(
					`GET /api/forms/${id}/submissions?limit=1`,
				);
				junkIds.push(body.submissions[0]?.id as string);
			}
		},
		removeJunk: () => server.call(`POST /api/forms/${id}/submissions/delete`, { json: { ids: junkIds } }),
		markJunk: () =>
			server.call(`PATCH /api/forms/${id}/submissions`, { json: { ids: junkIds, set: { isSpam: true } } }),
		/** As they are once they were counted, which a busy machine may take longer for than a request waits. */
		async fields() {
			for (;;) {
				const { body } = await server.call<{ fields: string[] }>(`GET /api/forms/${id}/submissions?limit=1`);
				const { submissions } = server.app.storage as SqliteStorage;
				if (submissions.staleNames(Number.parseInt(id, 36), false) === undefined) return body.fields;
			}
		},
	};
}

test.each([1, 4])('what more submissions have is listed in spite of junk that came before %d times', async (times) => {
	const form = await openForm();
	await form.sendJunk(times);
	expect(await form.fields()).toHaveLength(2000);
	for (let i = 0; i < 2 * times; i++) await form.send({ email: 'ada@example.com', message: 'Hello' });
	const fields = await form.fields();
	expect(fields).toHaveLength(2000);
	expect(fields).toContain('email');
	expect(fields).toContain('message');
	await form.sendJunk();
	expect(await form.fields()).toContain('email');
});

test.each(['removeJunk', 'markJunk'] as const)(
	'what one submission has is listed once junk has gone by %s',
	async (go) => {
		const form = await openForm();
		await form.sendJunk();
		await form.send({ email: 'ada@example.com', message: 'Hello' });
		expect(await form.fields()).not.toContain('email');
		expect((await form[go]()).status).toBe(200);
		expect(await form.fields()).toEqual(['email', 'message']);
		await form.send({ phone: '1' });
		expect(await form.fields()).toEqual(['email', 'message', 'phone']);
	},
);

test('a form that is deleted while its names are counted costs nothing that arrives meanwhile', async () => {
	const storage = openStorage(join(tempFolder(), 'formsrv.db'), { maxListedNames: 1 });
	await storage.batch((tx) =>
		FORMS.map((id) => tx.insert(forms).values({ id, mode: 'live', slug: `f${id}`, name: 'F' })),
	);
	const submission = (form: number) => ({
		formId: form,
		data: '{"a":1,"b":2}',
		names: ['a', 'b'],
		spamReason: null,
		subject: null,
		replyTo: null,
	});
	const [gone = 0, other = 0] = FORMS;
	await storage.submissions.append(submission(gone));
	const version = storage.submissions.staleNames(gone, false) ?? -1;
	while (await storage.submissions.sweep(gone, 10));
	await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, gone))]);
	const counter = createNameCounter();
	counter.add([['a', 1]]);
	const relisting = storage.submissions.relist(gone, { isSpam: false, version, fromId: 0, counter });
	const appended = storage.submissions.append(submission(other));
	expect(await relisting).toBe(true);
	expect(await appended).toBeNumber();
	await storage.close();
});

test('a count of names without end keeps what many have', () => {
	const counter = createNameCounter();
	for (let i = 0; i < 100; i++) {
		counter.add([['email', 1]]);
		counter.add(Array.from({ length: 990 }, (_, at) => [`junk-${i}-${at}`, 1] as const));
	}
	expect(counter.isPartial).toBe(true);
	expect(counter.counts.size).toBeLessThanOrEqual(20_000);
	expect(counter.counts.get('email')).toBe(100);
});
