/** Posted content comes back exactly, through the whole program and off the disk: or it was rejected, and is not there. */

import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { gathered, MULTIPART_TYPE, multipart, type Pair, URLENCODED_TYPE, urlencoded } from './intake/body/bodies.ts';
import { openTestServer } from './server.ts';

const RUNS = 150;

const server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0' } });
afterAll(server.close);
const form = await server.app.forms.create('live', { name: 'Contact', slug: 'contact' });

/** The JSON text of `data` of the newest submission, untouched by any parser. */
async function newestData(): Promise<string> {
	const { text } = await server.call(`GET /api/forms/${form.id}/submissions?limit=1`);
	const start = text.indexOf('"data":') + '"data":'.length;
	return text.slice(start, text.indexOf(',"createdAt":', text.lastIndexOf('}', text.indexOf('"isRead"'))));
}

async function submissionCount(): Promise<number> {
	const { body } = await server.call<{ submissionCount: number }>(`GET /api/forms/${form.id}`);
	return body.submissionCount;
}

/** Posts a body and tells what became of it: the data as it reads back, or `refused` if nothing was stored. */
async function roundTrip(body: BodyInit, contentType?: string): Promise<string> {
	const before = await submissionCount();
	const response = await fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { Accept: 'application/json', ...(contentType && { 'Content-Type': contentType }) },
		body,
	});
	const added = (await submissionCount()) - before;
	if (response.status === 200) {
		expect(added).toBe(1);
		return newestData();
	}
	expect(response.status).toBeGreaterThanOrEqual(400);
	expect(response.status).toBeLessThan(500);
	expect(added).toBe(0);
	return 'refused';
}

const SPECIAL = [
	'_next',
	'_subject',
	'_replyto',
	'_gotcha',
	'g-recaptcha-response',
	'h-captcha-response',
	'cf-turnstile-response',
	'altcha',
];
const awkward = fc.constantFrom(
	'a[999999999]',
	'__proto__',
	'a.b',
	'a[]',
	'constructor',
	'toString',
	'then',
	'0',
	'-1',
	' ',
	'ä',
	'💌',
	'é',
	'data',
	'"',
	'\\',
	'%00',
	'+',
	'&=',
	'\u0000',
	'\u202e',
);
const name = fc
	.oneof(awkward, fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 12 }))
	.filter((text) => !SPECIAL.includes(text));
const number = fc.oneof(
	fc.stringMatching(/^-?[1-9][0-9]{0,30}$/),
	fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,5})\.[0-9]{1,30}$/),
	fc.stringMatching(/^-?[1-9](?:\.[0-9]{1,5})?[eE][+-]?[0-9]{1,4}$/),
	fc.constantFrom('0', '-0', '1e400', '0.10', '1E5'),
);
const text = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.string({ unit: 'grapheme', maxLength: 40 }),
	awkward,
);
/** JSON texts, written with the freedom that the grammar gives. */
const json = fc.letrec<{ value: string; scalar: string; list: string; object: string }>((tie) => ({
	scalar: fc.oneof(
		number,
		text.map((value) => JSON.stringify(value)),
		fc.constantFrom('true', 'false', 'null', '"\\u0041\\/\\ud83d"', '"\\ud800"'),
	),
	list: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
	object: fc
		.uniqueArray(name, { maxLength: 4 })
		.chain((names) =>
			fc
				.tuple(...names.map(() => tie('value')))
				.map((values) => `{${names.map((key, i) => `${JSON.stringify(key)}:${values[i]}`).join(',')}}`),
		),
	value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('scalar'), tie('list'), tie('object')),
}));

test('JSON comes back with every digit, every escape and every member in its place', async () => {
	const members = fc
		.uniqueArray(name, { minLength: 1, maxLength: 8 })
		.chain((names) =>
			fc
				.tuple(...names.map(() => json.value))
				.map((values) => names.map((key, i) => [key, values[i] as string] as const)),
		);
	await fc.assert(
		fc.asyncProperty(members, fc.constantFrom('', ' ', '\n\t'), async (fields, blank) => {
			const body = `{${fields.map(([key, value]) => `${blank}${JSON.stringify(key)}${blank}:${blank}${value}`).join(`${blank},`)}${blank}}`;
			const expected = `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
			expect(await roundTrip(body, 'application/json')).toBe(expected);
		}),
		{ numRuns: RUNS },
	);
});

/** The data that pairs of texts make: repeated names become a list where they were first seen. */
function dataOf(fields: readonly Pair[]): string {
	return `{${gathered(fields)
		.map((field) => `${JSON.stringify(field.name)}:${field.json}`)
		.join(',')}}`;
}

const hasControl = (text: string) => [...text].some((character) => character < ' ' || character === '\x7f');

const wellFormed = (arbitrary: fc.Arbitrary<string>) => arbitrary.map((value) => value.toWellFormed());
const pairs = fc.array(fc.tuple(wellFormed(name), wellFormed(text)), { minLength: 1, maxLength: 8 });

test('urlencoded fields come back unchanged', async () => {
	await fc.assert(
		fc.asyncProperty(pairs, async (fields) => {
			expect(await roundTrip(urlencoded(fields), URLENCODED_TYPE)).toBe(dataOf(fields));
		}),
		{ numRuns: RUNS },
	);
});

test('multipart fields come back unchanged; a name that cannot be written in a header is rejected', async () => {
	await fc.assert(
		fc.asyncProperty(pairs, async (fields) => {
			// A name that holds an escape already cannot be told from one that was escaped: the standard's own gap.
			fc.pre(fields.every(([key]) => !/%(?:22|0d|0a)/i.test(key)));
			const got = await roundTrip(multipart(fields), MULTIPART_TYPE);
			if (got === 'refused') expect(fields.some(([key]) => hasControl(key))).toBe(true);
			else expect(got).toBe(dataOf(fields));
		}),
		{ numRuns: RUNS },
	);
});

test('what JavaScript would send comes back as the same value', async () => {
	await fc.assert(
		fc.asyncProperty(fc.dictionary(name, fc.jsonValue(), { minKeys: 1, maxKeys: 5 }), async (value) => {
			const got = await roundTrip(JSON.stringify(value), 'application/json');
			expect(JSON.parse(got)).toEqual(JSON.parse(JSON.stringify(value)));
		}),
		{ numRuns: RUNS },
	);
});
