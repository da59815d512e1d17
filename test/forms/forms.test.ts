import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { createFindBySlug } from '../../src/forms/by-slug.ts';
import { createForms } from '../../src/forms/forms.ts';
import type { CreateForm, UpdateForm } from '../../src/forms/schema.ts';
import { sweepForms } from '../../src/forms/sweep.ts';
import { decodeId } from '../../src/ids.ts';
import { createKeys } from '../../src/keys/keys.ts';
import { openStorage } from '../../src/storage/open.ts';
import { forms as formTable, submissions as submissionTable } from '../../src/storage/tables.ts';
import { tempFolder } from '../temp-folder.ts';

async function open(file = join(tempFolder(), 'formsrv.db')) {
	const storage = await openStorage(file);
	return {
		storage,
		findBySlug: createFindBySlug(storage),
		forms: createForms(storage, { captchas: () => new Set(['turnstile'] as const), maxFileBytes: 25 * 1024 * 1024 }),
		file,
	};
}

const refusal = async (attempt: Promise<unknown>): Promise<AppError> => {
	const error = await attempt.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(AppError);
	return error as AppError;
};

test('a form is created with defaults, read, changed and listed newest first', async () => {
	const { forms, storage } = await open();
	const first = await forms.create('live', { name: ' Contact ' });
	expect(first).toMatchObject({
		name: 'Contact',
		isActive: true,
		submissionCount: 0,
		notificationEmail: null,
		redirectUrl: null,
		allowedDomains: [],
		captcha: null,
		files: { maxFiles: 5, maxBytes: 10 * 1024 * 1024, types: [] },
		spam: { threshold: 5, honeypot: ['_gotcha'] },
	});
	expect(first.slug).toMatch(/^contact-[0-9a-z]{8}$/);
	const second = await forms.create('live', {
		name: 'Jobs',
		slug: 'JOBS',
		notificationEmail: 'a@example.com,b@example.com',
		redirectUrl: 'https://example.com/thanks',
		allowedDomains: ['https://Bücher.example/x', 'localhost:3000', 'localhost:3000'],
		captcha: 'turnstile',
		files: { maxBytes: '1.5MiB', types: [' .PDF', 'image/*', '.pdf'] },
		spam: { threshold: null, honeypot: 'website' },
		isActive: false,
	});
	expect(second).toMatchObject({
		slug: 'jobs',
		notificationEmail: 'a@example.com, b@example.com',
		allowedDomains: ['xn--bcher-kva.example', 'localhost:3000'],
		captcha: 'turnstile',
		files: { maxFiles: 5, maxBytes: 1_572_864, types: ['.pdf', 'image/*'] },
		spam: { threshold: null, honeypot: ['website'] },
		isActive: false,
	});
	expect((await forms.list('live')).map(({ id }) => id)).toEqual([second.id, first.id]);
	expect(await forms.list('test')).toEqual([]);
	const changed = await forms.update(second.id, {
		input: {
			name: 'Work',
			notificationEmail: null,
			redirectUrl: null,
			allowedDomains: null,
			captcha: null,
			files: null,
			isActive: true,
		},
	});
	expect(changed).toEqual({
		...second,
		name: 'Work',
		notificationEmail: null,
		notification: null,
		redirectUrl: null,
		allowedDomains: [],
		captcha: null,
		files: null,
		isActive: true,
	});
	expect(await forms.get(second.id)).toEqual(changed);
	await storage.close();
});

const faults: [string, UpdateForm, string[]][] = [
	['an empty name', { name: '  ' }, ['name']],
	['a long name', { name: 'x'.repeat(201) }, ['name']],
	['a bad slug', { slug: 'a b' }, ['slug']],
	['a slug with blanks around it', { slug: ' abc\n' }, ['slug']],
	['a slug with a letter that only looks like one', { slug: '\u212abc' }, ['slug']],
	['a mail address without a domain', { notificationEmail: 'me@' }, ['notificationEmail']],
	['eleven mail addresses', { notificationEmail: Array(11).fill('a@example.com').join(',') }, ['notificationEmail']],
	['a script as redirect', { redirectUrl: 'javascript:alert(1)' }, ['redirectUrl']],
	['a relative redirect', { redirectUrl: '/thanks' }, ['redirectUrl']],
	['a captcha without its secret', { captcha: 'hcaptcha' }, ['captcha']],
	[
		'two bad domains of three',
		{ allowedDomains: ['a b', 'example.com', 'http://'] },
		['allowedDomains.0', 'allowedDomains.2'],
	],
	['51 domains', { allowedDomains: Array.from({ length: 51 }, (_, i) => `d${i}.example`) }, ['allowedDomains']],
	['no file at all', { files: { maxFiles: 0 } }, ['files.maxFiles']],
	['21 files', { files: { maxFiles: 21 } }, ['files.maxFiles']],
	['files without a size', { files: { maxBytes: 'large' } }, ['files.maxBytes']],
	['files larger than the server takes', { files: { maxBytes: '26MiB' } }, ['files.maxBytes']],
	['types that are none', { files: { types: ['pdf', 'image/*', '*/*'] } }, ['files.types.0', 'files.types.2']],
	['a threshold of nothing', { spam: { threshold: 0 } }, ['spam.threshold']],
	['a threshold that is never reached', { spam: { threshold: 10.1 } }, ['spam.threshold']],
	['six honeypots', { spam: { honeypot: ['a', 'b', 'c', 'd', 'e', 'f'] } }, ['spam.honeypot']],
	[
		'honeypots that are none',
		{ spam: { honeypot: ['', 'a', '_next', 'altcha'] } },
		[0, 2, 3].map((i) => `spam.honeypot.${i}`),
	],
	['several faults at once', { name: '', slug: '-' }, ['name', 'slug']],
];

test.each(faults)('%s is refused by the name of the field', async (_title, input, fields) => {
	const { forms, storage } = await open();
	const error = await refusal(forms.create('live', { name: 'Contact', ...input } as CreateForm));
	expect(error.code).toBe('VALIDATION_ERROR');
	expect(error.details.fields?.map(({ field }) => field)).toEqual(fields);
	expect(await forms.list()).toEqual([]);
	await storage.close();
});

test('the length of a name is counted in characters, not in UTF-16 units', async () => {
	const { forms, storage } = await open();
	const { name } = await forms.create('live', { name: '😀'.repeat(200) });
	expect(name).toBe('😀'.repeat(200));
	expect((await refusal(forms.create('live', { name: '😀'.repeat(201) }))).code).toBe('VALIDATION_ERROR');
	await storage.close();
});

test('a form can be sent back as it was read, also when the server lost the secret of its captcha', async () => {
	const { forms, storage } = await open();
	const form = await forms.create('live', { name: 'One', captcha: 'turnstile' });
	const later = createForms(storage, { captchas: () => new Set() });
	expect(await later.update(form.id, { input: { ...form, name: 'Two' } })).toEqual({ ...form, name: 'Two' });
	expect((await refusal(later.update(form.id, { input: { captcha: 'hcaptcha' } }))).code).toBe('VALIDATION_ERROR');
	await storage.close();
});

test('a form that many ask for at once is read once, and anew after a change', async () => {
	const { forms, findBySlug, storage } = await open();
	const { id } = await forms.create('live', { name: 'One', slug: 'contact' });
	const ask = () => Promise.all(Array.from({ length: 50 }, () => findBySlug('contact')));
	expect(new Set(await ask()).size).toBe(1);
	const before = ask();
	await forms.update(id, { input: { name: 'Two' } });
	await before;
	expect(new Set((await ask()).map((form) => form?.name))).toEqual(new Set(['Two']));
	await storage.close();
});

test('a slug belongs to one form, whatever its case', async () => {
	const { forms, findBySlug, storage } = await open();
	await forms.create('live', { name: 'One', slug: 'contact' });
	const other = await forms.create('test', { name: 'Two' });
	expect((await refusal(forms.create('test', { name: 'Three', slug: 'Contact' }))).code).toBe('SLUG_TAKEN');
	expect((await refusal(forms.update(other.id, { input: { slug: 'contact' } }))).code).toBe('SLUG_TAKEN');
	expect((await findBySlug('CONTACT'))?.name).toBe('One');
	await storage.close();
});

test("the other mode's form is not there", async () => {
	const { forms, storage } = await open();
	const form = await forms.create('live', { name: 'One' });
	const attempts = [
		forms.get(form.id, 'test'),
		forms.update(form.id, { mode: 'test', input: {} }),
		forms.remove(form.id, 'test'),
	];
	for (const attempt of attempts) expect((await refusal(attempt)).code).toBe('FORM_NOT_FOUND');
	await storage.close();
});

test('a change is visible to the next query of the slug', async () => {
	const { forms, findBySlug, storage } = await open();
	const form = await forms.create('live', { name: 'One', slug: 'contact' });
	expect((await findBySlug('contact'))?.isActive).toBe(true);
	await forms.update(form.id, { input: { isActive: false } });
	expect((await findBySlug('contact'))?.isActive).toBe(false);
	await forms.update(form.id, { input: { slug: 'other' } });
	expect((await findBySlug('contact'))?.slug).toBe('other');
	await storage.close();
});

test('a deleted form is inaccessible at once, and its rows are swept, also after a restart', async () => {
	const { forms, findBySlug, storage, file } = await open();
	const form = await forms.create('live', { name: 'One', slug: 'contact' });
	await createKeys(storage).create({ mode: 'live', permissions: ['read'], forms: [form.id] });
	const formId = decodeId(form.id) as number;
	const appends = Array.from({ length: 2500 }, () =>
		storage.submissions.append({
			formId,
			data: '{"a":1}',
			names: ['a'],
			spamReason: null,
			subject: null,
			replyTo: null,
		}),
	);
	await Promise.all(appends);
	await forms.remove(form.id);
	expect(await findBySlug('contact')).toBeUndefined();
	expect((await refusal(forms.get(form.id))).code).toBe('FORM_NOT_FOUND');
	expect((await refusal(forms.remove(form.id))).code).toBe('FORM_NOT_FOUND');
	expect((await createKeys(storage).list()).length).toBe(0);
	await forms.create('live', { name: 'Two', slug: 'two' });
	await sweepForms(storage, { pause: async () => false });
	await storage.close();

	const again = await open(file);
	const left = async () => (await again.storage.db.select().from(submissionTable)).length;
	expect(await left()).toBe(2250);
	await sweepForms(again.storage, { pause: async () => true });
	expect(await left()).toBe(0);
	expect((await again.storage.db.select().from(formTable)).map(({ name }) => name)).toEqual(['Two']);
	await again.storage.close();
});
