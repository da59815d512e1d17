/** From the owner's marks to the verdict on the next submission, and its explanation. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Form } from '../../../src/forms/schema.ts';
import type { SubmissionList } from '../../../src/submissions/schema.ts';
import type { SpamExplanation } from '../../../src/submissions/spam/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

/** Without any sign that a rule of the program knows. */
const UNWANTED = (i: number) => `We wash gutters and windows of offices in town, crew ${i} is near you`;
const WANTED = (i: number) => `Does the course on pottery in week ${i} still have a place for my daughter`;

type Submission = SubmissionList['submissions'][number];

let server: TestServer;
let form: Form;
let ids: { wanted: string[]; unwanted: string[] };

beforeAll(async () => {
	server = await openTestServer();
	form = await server.createForm<Form>({ name: 'Pottery' });
	ids = { wanted: [], unwanted: [] };
	for (let i = 0; i < 20; i++) {
		await server.submit(form.slug, { email: `person${i}@example.com`, message: WANTED(i) });
		await server.submit(form.slug, { email: `crew${i}@gutters.example`, message: UNWANTED(i) });
	}
	for (const { id, data } of await list('all')) {
		const { message } = data as { message: string };
		(message.includes('gutters') ? ids.unwanted : ids.wanted).push(id);
	}
});
afterAll(() => server.close());

async function list(filter: string): Promise<Submission[]> {
	const { body } = await server.call<SubmissionList>(
		`GET /api/forms/${form.id}/submissions?filter=${filter}&limit=100`,
	);
	return body.submissions;
}

const mark = (which: string[], isSpam: boolean) =>
	server.call(`PATCH /api/forms/${form.id}/submissions`, { json: { ids: which, set: { isSpam } } });

const explain = async (id: string) =>
	(await server.call<SpamExplanation>(`GET /api/forms/${form.id}/submissions/${id}/spam`)).body;

const learnt = (spam: number, genuine: number) =>
	until(async () => (await explain(ids.wanted[0] as string)).words.form.learnt, {
		isSo: (found) => found?.spam === spam && found?.genuine === genuine,
	});

async function send(message: string): Promise<Submission> {
	const before = new Set([...(await list('all')), ...(await list('spam'))].map(({ id }) => id));
	await server.submit(form.slug, { email: 'new@somewhere.example', message });
	const [found] = [...(await list('all')), ...(await list('spam'))].filter(({ id }) => !before.has(id));
	return found as Submission;
}

test('what is marked is learnt, and the next one like it is spam', async () => {
	expect(await send(UNWANTED(99))).toMatchObject({ isSpam: false });
	await mark(ids.unwanted, true);
	await learnt(20, 0);
	expect((await explain(ids.unwanted[0] as string)).words.form).toMatchObject({ points: null, words: [] });
	// They are in the inbox already: marked as genuine all the same.
	await mark(ids.wanted, false);
	await learnt(20, 20);

	const unwanted = await send(UNWANTED(77));
	expect(unwanted).toMatchObject({ isSpam: true, spamReason: 'score' });
	expect(unwanted.spamReasons.map(({ rule }) => rule)).toEqual(['words-form', 'words-server']);
	const sum = unwanted.spamReasons.reduce((total, { points }) => total + points, 0);
	expect(unwanted.spamScore).toBe(Math.round(10 * sum) / 10);
	const wanted = await send(WANTED(78));
	expect(wanted.isSpam).toBe(false);
	expect(wanted.spamScore).toBeLessThan(0);

	const { words, mark: marked, spamReasons } = await explain(unwanted.id);
	expect(marked).toBeNull();
	expect(spamReasons[0]).toMatchObject({ label: 'Words in this form', points: words.form.points as number });
	// By hand: of each part the weights, each times its certainty, added up, over the square root of all certainty, six at most; the sum of
	// the parts times six fifths, in tenths.
	expect(words.form.words).toHaveLength(words.form.known);
	expect(words.form.parts.map(({ part }) => part).sort()).toEqual(['addresses', 'text']);
	for (const { part, evidence } of words.form.parts) {
		const weights = words.form.words.filter((word) => word.part === part).map(({ weight }) => weight);
		const certainties = weights.map((weight) => Math.tanh(Math.abs(weight) / 2));
		const sum = weights.reduce((total, weight, at) => total + (certainties[at] as number) * weight, 0);
		const certainty = certainties.reduce((total, one) => total + one, 0);
		const said = Math.max(-6, Math.min(6, sum / Math.sqrt(Math.max(0.5, certainty))));
		expect(Math.abs(said - evidence)).toBeLessThan(0.05);
	}
	const evidence = words.form.parts.reduce((total, part) => total + part.evidence, 0);
	expect(words.form.evidence).toBe(Math.round(100 * evidence) / 100);
	expect(words.form.points).toBe(Math.min(3, Math.round(12 * (words.form.evidence as number)) / 10));
	expect(spamReasons[0]?.detail).toContain(`(evidence ${words.form.evidence}: text `);
	for (const { word } of words.form.words) {
		for (const part of word.split(' ').filter((piece) => /^[a-z]+$/.test(piece)))
			expect(JSON.stringify(unwanted.data).toLowerCase()).toContain(part);
	}

	await mark([unwanted.id], false);
	await learnt(20, 21);
	expect(await explain(unwanted.id)).toMatchObject({ isSpam: false, mark: 'genuine', spamScore: unwanted.spamScore });
});

test('a key of one form sees of what other forms taught the points alone', async () => {
	const other = await server.createForm<Form>({ name: 'Neighbour' });
	const key = await server.createKey({ form: other.id });
	await server.submit(other.slug, { message: UNWANTED(55) });
	const path = `/api/forms/${other.id}` as const;
	const whole = (await server.call<SubmissionList>(`GET ${path}/submissions`)).body.submissions[0] as Submission;
	expect(whole.spamReasons).toMatchObject([{ rule: 'words-server', detail: expect.stringContaining('“we wash”') }]);
	const [{ points = 0 } = {}] = whole.spamReasons;

	const one = `${path}/submissions/${whole.id}` as const;
	const { body } = await server.call<SpamExplanation>(`GET ${one}/spam`, { key });
	expect(body.words.server).toEqual({ learnt: null, points, evidence: null, parts: [], known: 0, words: [] });
	expect(body.words.form.learnt).toEqual({ spam: 0, genuine: 0 });
	const exports = (['csv', 'json', 'ndjson'] as const).map((format) => `GET ${path}/export?format=${format}` as const);
	for (const route of [`GET ${one}/spam`, `GET ${one}`, `GET ${path}/submissions`, ...exports] as const) {
		const { text } = await server.call(route, { key });
		expect(text).toContain('From the marks of all forms.');
		expect(text).toContain(`${points}`);
		expect(text).not.toMatch(/evidence \d|such as/);
	}
	const { headers } = await server.call('POST /api/session', { key: null, json: { key } });
	const cookie = headers.get('Set-Cookie')?.split(';')[0] ?? '';
	const shown = await fetch(`${server.baseUrl}${path}/submissions`, { headers: { Cookie: cookie } });
	expect(await shown.text()).not.toMatch(/evidence \d|such as/);
	// Its own form's model says all that it says.
	const own = await server.createKey({ form: form.id });
	const shownOfOwn = await server.call(`GET /api/forms/${form.id}/submissions`, { key: own });
	expect(shownOfOwn.text).toMatch(/in this form, such as [^(]+\(evidence -?\d/);
});

test('a form of the other mode neither teaches nor is taught', async () => {
	const key = await server.createKey({ mode: 'test' });
	const other = (await server.call<Form>('POST /api/forms', { key, json: { name: 'Trial' } })).body;
	await server.submit(other.slug, { message: UNWANTED(5) });
	const { body } = await server.call<SubmissionList>(`GET /api/forms/${other.id}/submissions`, { key });
	expect(body.submissions).toMatchObject([{ isSpam: false, spamReasons: [] }]);
});

test('there is no explanation of what is not there', async () => {
	expect((await server.call(`GET /api/forms/${form.id}/submissions/zzz/spam`)).status).toBe(404);
	expect((await server.call(`GET /api/forms/zzz/submissions/${ids.wanted[0]}/spam`)).status).toBe(404);
});
