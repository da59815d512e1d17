/** `formsrv apply` and `formsrv forms dump`: a file makes forms, twice is once, and a dump changes nothing. */

import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import type { Form } from '../../src/forms/schema.ts';
import { FORM_SETTINGS, SETTING_NAMES } from '../../src/forms/settings.ts';
import { SETTINGS_OR_NONE } from '../../src/server/forms-file-schema.ts';
import { openStorage } from '../../src/storage/open.ts';
import { webhooks } from '../../src/storage/tables.ts';
import { isOnPostgres, testOnSqlite } from '../engine.ts';
import { seeded } from '../seeded.ts';
import { openTestServer } from '../server.ts';
import { SETTINGS } from '../upgrade/fill.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

setDefaultTimeout(120_000);

/** How they are written and read again knows no engine. */
const FORMS = isOnPostgres ? 50 : 200;

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

const write = (text: string, name = 'forms.toml') => writeFileSync(cli.path(name), text);
const show = (slug: string): Promise<Form> => cli.json('forms', 'show', slug);

const FILE = `
[forms.contact]
name = "Contact"
redirectUrl = "https://example.com/thanks"
spam = { threshold = "none" }
fields = [
	{ name = "email", type = "email", required = true },
]
pages = { thanks = { title = "Danke" }, accent = "#1d6b57" }

[[forms.contact.webhooks]]
name = "crm"
url_env = "CRM_URL"
headers = { Authorization_env = "CRM_TOKEN" }

[forms.contact.lists]
block = ["domain:Spam.example"]

[forms.jobs]
name = "Jobs"
mode = "test"
isActive = false
`;
const SECRETS = { CRM_URL: 'https://crm.example.com/h00k', CRM_TOKEN: 'Bearer s3cret' };

test('a file makes forms with webhooks and lists; twice is once; a dry run says so by its exit code', async () => {
	await cli.call('keys', 'create');
	write(FILE);
	Object.assign(cli.env, SECRETS);
	const plan = await cli.call('apply', 'forms.toml', '--dry-run');
	expect(plan.code).toBe(3);
	expect(plan.stdout).toContain('+ form contact');
	expect((await cli.json('forms', 'list')).length).toBe(0);
	const applied = await cli.call('apply', 'forms.toml');
	expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining('5 changes made.')]);
	for (const { stdout, stderr } of [plan, applied]) expect(stdout + stderr).not.toMatch(/h00k|s3cret/);
	const { id: _, ...contact } = await show('contact');
	expect(contact).toMatchObject({
		name: 'Contact',
		redirectUrl: 'https://example.com/thanks',
		spam: { threshold: null },
		isActive: true,
		keptIn: null,
	});
	expect(await show('jobs')).toMatchObject({ mode: 'test', isActive: false });
	const [webhook] = await cli.json('webhooks', 'list', 'contact');
	expect(webhook).toMatchObject({ url: SECRETS.CRM_URL, headers: { Authorization: null } });
	expect((await cli.json('lists', 'show', '--form', 'contact')).block).toEqual(['domain:spam.example']);
	expect(await cli.call('apply', 'forms.toml', '--dry-run')).toMatchObject({ code: 0, stdout: '' });
	expect(await cli.call('apply', 'forms.toml')).toMatchObject({ code: 0, stdout: '' });
});

test('what the file leaves out of a form has its default, and what it leaves out of webhooks stays without --prune', async () => {
	write(`name = "site"${FILE}`);
	Object.assign(cli.env, SECRETS);
	await cli.call('apply', 'forms.toml');
	write('name = "site"\n[forms.contact]\nname = "Contact us"\nwebhooks = []\n');
	const { stdout, stderr } = await cli.call('apply', 'forms.toml');
	expect(stdout).toContain('name: "Contact" → "Contact us"');
	expect(stdout).toContain('redirectUrl: "https://example.com/thanks" → null');
	expect(stderr).toContain('left alone: webhook crm of contact. --prune');
	expect(stderr).toContain('left alone: form jobs with its 0 submissions. --prune');
	expect(await show('contact')).toMatchObject({ name: 'Contact us', redirectUrl: null, fields: null, pages: null });
	expect((await cli.json('webhooks', 'list', 'contact')).length).toBe(1);
	expect((await cli.json('lists', 'show', '--form', 'contact')).block.length).toBe(1);
});

test('--prune deletes what is of this file alone', async () => {
	await cli.json('forms', 'create', 'By hand', '--slug', 'hand');
	write('name = "site"\n[forms.a]\nname = "A"\n[forms.b]\nname = "B"\n');
	write('name = "other"\n[forms.c]\nname = "C"\n', 'other.toml');
	await cli.call('apply', 'forms.toml');
	await cli.call('apply', 'other.toml');
	write('name = "site"\n[forms.a]\nname = "A"\n');
	expect((await cli.call('apply', 'forms.toml', '--prune')).code).toBe(2);
	expect(await cli.call('apply', 'forms.toml', '--prune', '--dry-run')).toMatchObject({ code: 3 });
	const { stdout } = await cli.call('apply', 'forms.toml', '--prune', '--yes');
	expect(stdout).toBe('- form b with its 0 submissions\n');
	const slugs = (await cli.json('forms', 'list')).map(({ slug }: Form) => slug);
	expect(slugs.sort()).toEqual(['a', 'c', 'hand']);
	write('[forms.a]\nname = "A"\n');
	expect((await cli.call('apply', 'forms.toml', '--prune', '--yes')).stderr).toContain('--prune needs a name');
});

test.each([
	['[forms.a]\nname = "A"\nredirectURL = "x"', '"forms.a.redirectURL" is not known here'],
	['[forms.a]\nname = "A"\nredirectUrl = "x"', 'forms.a: redirectUrl must be'],
	['[forms.a]\nisActive = true', 'forms.a.name is required'],
	['[forms.a]\nname = "A"\nisActive = "yes"', 'forms.a.isActive must be'],
	['[forms.A]\nname = "A"', 'forms.A must have a slug'],
	['[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl_env = "NOWHERE"', 'forms.a.webhooks.0.url_env must name'],
	['[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurls = "x"', '"forms.a.webhooks.0.urls" is not known'],
	['[forms.a]\nname = "A"\n[forms.a.lists]\nblock = ["spam"]', '"spam" is no entry of a list'],
	['[forms.a]\nname = "A"\nname_env = "X"', 'forms.a.name_env and name are both there'],
	['[forms.a]\nname = "A"\n[forms.a.autoresponder]\nfield = "email"', 'autoresponder needs a captcha'],
	['[form.a]\nname = "A"', '"form" is not known here'],
	['[forms.a', 'cannot be read'],
	['[forms.a]\nname = hunter2', 'forms.toml cannot be read: line 2: Strings must be quoted.\n'],
	[
		`[forms.a]\nname = "A"\n${'[[forms.a.webhooks]]\nurl = "https://x.example"\n'.repeat(11)}`,
		'webhooks holds at most 10',
	],
	[
		`[forms.a]\nname = "A"\n[forms.a.lists]\nallow = [${'"text:abc",'.repeat(5001)}]`,
		'a list holds at most 5000 entries',
	],
	['name = " "\n[forms.a]\nname = "A"', 'name must have 1 to 200 characters'],
	['[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "ftp://x"', 'forms.a: webhooks.0: url must be an absolute http'],
	[
		'[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "https://x.example"\nevents = []',
		'events must name at least one',
	],
	[
		'[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "https://x.example"\nbody = "{"',
		'webhooks.0.body must be JSON',
	],
	[
		'[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "https://x.example"\nformat = "custom"\nbody = "[0.12345678901234567890]"',
		'webhooks.0.body.0 has more digits',
	],
	[
		'[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "https://x.example"\nheaders = { Host = "x" }',
		'headers.Host is set by',
	],
	[
		'[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "https://x.example"\nheaders = { X-A = "none" }',
		'give it as X-A_env',
	],
])('%j is rejected before anything is done', async (text, sentence) => {
	write(text);
	const { code, stderr } = await cli.call('apply', 'forms.toml');
	expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
	expect((await cli.json('forms', 'list').catch(() => [])).length).toBe(0);
});

test('"none" is no value, in every setting that may have none', async () => {
	const names = SETTINGS_OR_NONE;
	expect(names).toContain('captcha');
	write(`[forms.a]\nname = "A"\n${names.map((name) => `${name} = "none"\n`).join('')}`);
	expect((await cli.call('apply', 'forms.toml')).stdout).toContain('+ form a');
	const form = await cli.json('forms', 'show', 'a');
	expect(names.map((name) => form[name])).toEqual(names.map(() => null));
	expect(await cli.call('apply', 'forms.toml', '--dry-run')).toMatchObject({ code: 0 });
});

test('a file that is not there is named', async () => {
	expect(await cli.call('apply', 'missing.toml')).toEqual({
		...{ code: 2, stdout: '' },
		stderr: 'There is no file missing.toml.\n',
	});
});

test('a file without an end is not read beyond its bound', async () => {
	const sentence = '/dev/zero cannot be read: it holds more than 64 MiB.\n';
	expect(await cli.call('apply', '/dev/zero')).toEqual({ code: 2, stdout: '', stderr: sentence });
});

test('a form that was renamed, or is kept in another file, is not taken; one made by hand is, and the plan says so', async () => {
	await cli.json('forms', 'create', 'By hand', '--slug', 'hand');
	write('name = "site"\n[forms.hand]\nname = "By hand"\n');
	const { stdout } = await cli.call('apply', 'forms.toml', '--dry-run');
	expect(stdout).toBe('~ form hand\n    keptIn: null → "site"\n');
	await cli.call('apply', 'forms.toml');
	write('name = "other"\n[forms.hand]\nname = "By hand"\n', 'other.toml');
	const other = await cli.call('apply', 'other.toml');
	expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('kept in the file "site"')]);
	await cli.json('forms', 'update', 'hand', '--slug', 'renamed');
	for (const flags of [[], ['--prune', '--yes']]) {
		const { code, stderr } = await cli.call('apply', 'forms.toml', ...flags);
		expect([code, stderr]).toEqual([
			1,
			expect.stringContaining('goes to the form renamed, which was called so before'),
		]);
	}
	expect((await cli.json('forms', 'list')).map(({ slug }: Form) => slug)).toEqual(['renamed']);
});

test('a webhook is found again by its name, or else by its address, and keeps its secret', async () => {
	const idsAfter = async (webhooks: string) => {
		write(`[forms.a]\nname = "A"\n${webhooks}`);
		expect(await cli.call('apply', 'forms.toml', '--yes')).toMatchObject({ code: 0 });
		return (await cli.json('webhooks', 'list', 'a')).map(({ id }: { id: string }) => id);
	};
	const webhook = (members: string) => `[[forms.a.webhooks]]\n${members}\n`;
	const one = 'url = "https://one.example/x"';
	const [first] = await idsAfter(webhook(one));
	expect(await idsAfter(webhook(`name = " one "\n${one}`))).toEqual([first]);
	expect(await idsAfter(webhook('name = "one"\nurl = "https://two.example/x"'))).toEqual([first]);
	expect(await idsAfter(webhook('url = "https://two.example/x"'))).toEqual([first]);
	expect(await idsAfter(webhook('name = "two"\nurl = "https://two.example/x"'))).toEqual([first]);
	expect(await idsAfter(webhook('name = "renamed"\nurl = "https://two.example/x"'))).toEqual([first]);
	const both = await idsAfter(webhook(`name = "b"\n${one}`) + webhook('url = "https://two.example/x"'));
	expect(both).toEqual([first, expect.any(String)]);
	const same = (n: number) => webhook(`name = "same"\nurl = "https://same.example/${n}"`);
	const four = await idsAfter(
		webhook(`name = "b"\n${one}`) + webhook('url = "https://two.example/x"') + same(1) + same(2),
	);
	expect(
		await idsAfter(webhook(`name = "b"\n${one}`) + webhook('url = "https://two.example/x"') + same(2) + same(1)),
	).toEqual(four);
	expect(await cli.call('apply', 'forms.toml', '--dry-run')).toMatchObject({ code: 0, stdout: '' });
});

test('a webhook that the server disabled stays so, and one that the file disables is', async () => {
	const file = '[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "https://x.example/"\n';
	write(file);
	await cli.call('apply', 'forms.toml');
	const storage = await openStorage(cli.config().database);
	await storage.batch((tx) => [tx.update(webhooks).set({ isActive: false, disabledReason: 'gone' })], null);
	await storage.close();
	expect(await cli.call('apply', 'forms.toml', '--dry-run')).toMatchObject({ code: 0, stdout: '' });
	write(`${file}isActive = false\n`);
	// It is so already.
	expect(await cli.call('apply', 'forms.toml')).toMatchObject({ code: 0, stdout: '' });
});

test('dates that TOML has of its own are moments', async () => {
	write(
		'[forms.a]\nname = "A"\nopensAt = 2027-01-31T09:00:00Z\nfields = [{ name = "day", type = "date", min = 2026-01-31 }]\n',
	);
	expect(await cli.call('apply', 'forms.toml')).toMatchObject({ code: 0 });
	expect(await show('a')).toMatchObject({ opensAt: '2027-01-31T09:00:00.000Z', fields: [{ min: '2026-01-31' }] });
	expect(await cli.call('apply', 'forms.toml', '--dry-run')).toMatchObject({ code: 0, stdout: '' });
	write('[forms.a]\nname = "A"\nfiles = 2026-01-31\n');
	expect((await cli.call('apply', 'forms.toml')).stderr).toContain('forms.a.files must be');
});

test.each(['null', '[]', '5', '{"forms":{"a\\nb":null}}', '{"forms":{"__proto__":{"name":"A"}}}'])(
	'the JSON file %s is rejected in one sentence',
	async (text) => {
		write(text, 'forms.json');
		const { code, stderr } = await cli.call('apply', 'forms.json');
		expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
		expect(stderr).toMatch(/forms\.json( must hold an object|: forms\.\S+ must have a slug)/);
	},
);

test.each([
	[
		'forms.json',
		'{"forms":{"a":{"name":"A",\n"name":"B"}}}',
		'"name" occurs twice in one object, at line 2, column 1.',
	],
	[
		'forms.json',
		'{"forms":{"a":{"name":"A"},"a":{"name":"B"}}}',
		'"a" occurs twice in one object, at line 1, column 28.',
	],
	['forms.toml', '[forms.a]\nname = "A"\nname = "B"\n', "Cannot redefine key 'name'."],
	[
		'forms.json',
		'{"forms": {\n"a": {"name": "A",}}}',
		'expected a name or a string in double quotes at line 2, column 19.',
	],
	[
		'forms.json',
		'{"forms": {\n"a": {"name": "A"',
		'expected a comma or a closing brace at line 2, column 18, where it ends.',
	],
	['forms.json', '', 'forms.json must hold an object'],
])(
	'a fault in the syntax of %s, or a name that an object has twice, is named with its place: %j',
	async (name, text, words) => {
		write(text, name);
		const { code, stderr } = await cli.call('apply', name);
		expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
		expect(stderr).toContain(words);
	},
);

test('a header may be called like a member with its value from the environment: a dump of it changes nothing', async () => {
	cli.env.TOKEN = 's3cret';
	const hook = '[forms.a]\nname = "A"\n[[forms.a.webhooks]]\nurl = "https://x.example"\n';
	write(`${hook}headers = { X-Key_env_env = "TOKEN", X-Key = "plain" }\n`);
	expect((await cli.call('apply', 'forms.toml')).code).toBe(0);
	const [webhook] = await cli.json('webhooks', 'list', 'a');
	expect(webhook).toMatchObject({ headers: { 'X-Key_env': null, 'X-Key': null } });
	for (const flags of [[], ['--json']]) {
		const name = flags.length > 0 ? 'dump.json' : 'dump.toml';
		write((await cli.call('forms', 'dump', ...flags)).stdout, name);
		const again = await cli.call('apply', name, '--dry-run');
		expect(again).toEqual({ code: 0, stdout: '', stderr: 'There is nothing to do.\n' });
	}
});

test('values of the environment, addresses of webhooks and what they post are not in the plan', async () => {
	await cli.call('keys', 'create');
	Object.assign(cli.env, {
		OFFICE: 'ada@private.example, bob@private.example',
		HOOK: 'https://t0ken.example.com/t0ken',
		BODY: '{"key":"s3cret","text_env":"HOOK"}',
	});
	write(
		'[forms.body]\nname = "B"\nnotificationEmail_env = "OFFICE"\n[[forms.body.webhooks]]\n' +
			'url_env = "HOOK"\nformat = "custom"\nbody_env = "BODY"\nheaders = { "X.body" = "b", "files" = "none of these" }\n',
	);
	for (const flags of [['--dry-run'], ['--dry-run', '--json'], ['--json']]) {
		const { stdout, stderr } = await cli.call('apply', 'forms.toml', ...flags);
		expect(stdout + stderr).not.toMatch(/private|t0ken|s3cret/);
		for (const shown of ['$OFFICE', '$HOOK', '$BODY']) expect(stdout).toContain(shown);
	}
	const [webhook] = await cli.json('webhooks', 'list', 'body');
	expect(webhook).toMatchObject({
		body: { key: 's3cret', text_env: 'HOOK' },
		headers: { 'X.body': null, files: null },
	});
	expect((await show('body')).notificationEmail).toBe(cli.env.OFFICE as string);
	cli.env.BODY = '{"key":"an0ther"}';
	expect((await cli.call('apply', 'forms.toml', '--dry-run')).stdout).not.toMatch(/s3cret|an0ther/);
});

testOnSqlite('a dry run makes no database', async () => {
	write('[forms.a]\nname = "A"\n');
	expect(await cli.call('apply', 'forms.toml', '--dry-run')).toMatchObject({ code: 1, stdout: '' });
	expect((await cli.call('forms', 'list')).code).toBe(1);
});

test('what the server rejects stops there, names the form, and leaves whole forms; applied again, it goes on', async () => {
	write('[forms.a]\nname = "A"\n[forms.b]\nname = "B"\ncaptcha = "turnstile"\n[forms.c]\nname = "C"\n');
	const { code, stderr } = await cli.call('apply', 'forms.toml');
	expect([code, stderr]).toEqual([1, expect.stringContaining('forms.b: captcha "turnstile" needs')]);
	expect(stderr).toContain('Done: 1 of 3 changes. Applying it again goes on.');
	const shown = await cli.call('apply', 'forms.toml', '--json');
	expect([shown.code, JSON.parse(shown.stdout).done, JSON.parse(shown.stdout).steps.length]).toEqual([1, 0, 2]);
	cli.env.FORMSRV_TURNSTILE_SECRET = 'x';
	expect((await cli.call('apply', 'forms.toml')).stderr).toContain('2 changes made.');
});

test('a dump of forms with any settings changes nothing, in TOML and in JSON, near and far', async () => {
	const draw = seeded(27);
	const random = () => draw(1000) / 1000;
	cli.env.FORMSRV_WEBHOOK_ALLOW = '127.0.0.1';
	await cli.call('keys', 'create');
	const { database } = cli.config();
	const server = await openTestServer({ database, settings: { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });
	try {
		const names = SETTING_NAMES.filter((name) => !['name', 'slug', 'keptIn'].includes(name));
		const pick = <T>(some: readonly T[]) => some.filter(() => random() < 0.4);
		for (let i = 0; i < FORMS; i++) {
			const input = Object.fromEntries(
				pick(names).map((name) => [name, SETTINGS[name as keyof typeof SETTINGS] ?? FORM_SETTINGS[name].example]),
			);
			if (input.autoresponder) Object.assign(input, { captcha: SETTINGS.captcha, fields: SETTINGS.fields });
			if (random() < 0.2) input.spam = { threshold: null };
			if (random() < 0.2) input.isActive = false;
			if (random() < 0.2) input.files = null;
			const name = `Form ${i} "\\ \u007f ü 😀 [x]`;
			const form = await server.app.forms.create(random() < 0.2 ? 'test' : 'live', { ...input, name });
			for (const format of pick(['standard', 'slack', 'custom'] as const))
				await server.app.webhooks.create(
					{ form: form.id },
					{
						url: `https://example.com/${i}`,
						format,
						headers: { 'X-Key': 'secret' },
						...(format === 'custom' && { body: { text: '{{message}}', n: null, deep: [{ a: 1.5 }] } }),
						...(random() < 0.5 && {
							name: format,
							where: [{ field: 'topic', is: 'Sales' }],
							events: ['submission.spam'],
						}),
					},
				);
			if (random() < 0.3)
				await server.app.spam.lists.change({ form: form.id }, { block: ['text:buy "it"', 'domain:a.example'] });
		}
		for (const flags of [[], ['--json']]) {
			const { stdout } = await cli.call('forms', 'dump', ...flags);
			expect(stdout).not.toMatch(/submissionCount|createdAt|secret"/);
			const name = flags.length > 0 ? 'dump.json' : 'dump.toml';
			write(stdout, name);
			const again = await cli.call('apply', name, '--dry-run');
			expect(again).toEqual({ code: 0, stdout: '', stderr: 'There is nothing to do.\n' });
			// Elsewhere it makes the same forms; only values of headers have to be given.
			const other = openCommandLine();
			Object.assign(other.env, { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1', X: 'secret' });
			writeFileSync(
				other.path(name),
				stdout.replaceAll(/"?X-Key"?( = |": |:)"none"/g, (text) =>
					text.includes('=') ? 'X-Key_env = "X"' : '"X-Key_env":"X"',
				),
			);
			expect(await other.call('apply', name)).toMatchObject({ code: 0 });
			expect(await other.call('forms', 'dump', ...flags)).toEqual({ code: 0, stdout, stderr: '' });
		}
		writeFileSync(cli.path('key'), server.adminKey);
		const far = ['--server', server.baseUrl, '--key-file', 'key'];
		const there = await cli.call('forms', 'dump', ...far);
		expect(there.stdout).toContain('[forms.');
		write(`name = "far"\n${there.stdout}\n[forms.new]\nname = "New"\n`, 'far.toml');
		expect((await cli.call('apply', 'far.toml', ...far)).stdout).toContain('+ form new');
		expect((await show('new')).keptIn).toBe('far');
		write('[forms.newer]\nname = "N"\n[forms.tried]\nname = "T"\nmode = "test"\n', 'modes.toml');
		const { stderr } = await cli.call('apply', 'modes.toml', ...far);
		expect(stderr).toContain('The key is a live key');
		expect(stderr).not.toContain('Done:');
		const schema = await (await fetch(`${server.baseUrl}/api/forms.schema.json`)).json();
		const isValid = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(schema);
		expect([isValid(JSON.parse(readFileSync(cli.path('dump.json'), 'utf8'))), isValid.errors]).toEqual([true, null]);
		expect([{ forms: { a: {} } }, { forms: { a: { name: 5 } } }, { form: {} }].map((file) => isValid(file))).toEqual([
			false,
			false,
			false,
		]);
		expect(
			isValid({ forms: { a: { name_env: 'N', webhooks: [{ url_env: 'U' }], files: 'none', captcha: 'none' } } }),
		).toBe(true);
		expect(readFileSync(cli.path('dump.toml'), 'utf8')).toContain('\\u007f');
	} finally {
		await server.close();
	}
});
