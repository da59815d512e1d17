/** `formsrv forms`. */

import { beforeEach, expect, test } from 'bun:test';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

test('a form is created with all its settings and shown by its slug', async () => {
	const made = await cli.json(
		...['forms', 'create', 'Contact', '--slug', 'contact', '--notification-email', 'a@example.com'],
		...['--redirect-url', 'https://example.com/thanks', '--allowed-domains', 'example.com, example.org'],
		...['--files', '3, 500kB, image/*, .pdf'],
	);
	expect(made).toMatchObject({
		name: 'Contact',
		slug: 'contact',
		mode: 'live',
		isActive: true,
		notificationEmail: 'a@example.com',
		redirectUrl: 'https://example.com/thanks',
		allowedDomains: ['example.com', 'example.org'],
		files: { maxFiles: 3, maxBytes: 500_000, types: ['image/*', '.pdf'] },
	});
	expect((await cli.call('forms', 'show', 'contact')).stdout).toMatch(/^files +3, 500kB, image\/\*, \.pdf$/m);
	expect(await cli.json('forms', 'show', 'Contact')).toEqual(made);
	expect(await cli.json('forms', 'show', made.id)).toEqual(made);
	await cli.call('forms', 'update', 'contact', '--files', '2, 1MiB, drop, .pdf');
	expect(await cli.json('forms', 'show', 'contact')).toMatchObject({ files: { types: ['.pdf'], onRefused: 'drop' } });
	expect((await cli.call('forms', 'show', 'contact')).stdout).toMatch(/^files +2, 1MiB, \.pdf, drop$/m);
});

test('language and time zone are those of the form, which may be the default or none', async () => {
	const { slug } = await cli.json('forms', 'create', 'Contact', '--language', 'auto', '--time-zone', 'none');
	const set = await cli.json('forms', 'update', slug, '--language', 'de', '--time-zone', 'Europe/Berlin');
	expect(set).toMatchObject({ language: 'de', timeZone: 'Europe/Berlin' });
	const cleared = await cli.json('forms', 'update', slug, '--language', 'none', '--time-zone', 'none');
	expect(cleared).toMatchObject({ language: 'auto', timeZone: null });
	const { code, stderr } = await cli.call('forms', 'update', slug, '--time-zone', 'Mars/Olympus');
	expect([code, stderr]).toEqual([2, expect.stringMatching(/^timeZone must be /)]);
});

test('when it is open, for which pages it stands in, and what it keeps, is set in words and cleared', async () => {
	const { slug } = await cli.json(
		...['forms', 'create', 'Seminar', '--opens-at', '2027-01-31T10:00:00+01:00', '--closes-at', '2027-02-28T23:00:00Z'],
		...['--max-submissions', '40', '--closed-text', 'Full. See you!', '--aliases', 'web3forms, netlify'],
		...['--context', 'page, address:network', '--retention', '365, filesDays: 30'],
	);
	const shown = (await cli.call('forms', 'show', slug)).stdout;
	expect(shown).toMatch(/^opensAt +2027-01-31T09:00:00\.000Z$/m);
	expect(shown).toMatch(/^maxSubmissions +40$/m);
	expect(shown).toMatch(/^closedText +Full\. See you!$/m);
	expect(shown).toMatch(/^aliases +web3forms, netlify$/m);
	expect(shown).toMatch(/^context +page, address:network$/m);
	expect(shown).toMatch(/^retention +days:365,filesDays:30$/m);
	const cleared = ['opens-at', 'closes-at', 'max-submissions', 'closed-text', 'aliases', 'context'];
	expect(await cli.json('forms', 'update', slug, ...cleared.flatMap((name) => [`--${name}`, 'none']))).toMatchObject({
		...{ opensAt: null, closesAt: null, maxSubmissions: null, closedText: null, aliases: [], context: null },
	});
	for (const [option, value, sentence] of [
		['--opens-at', 'soon', 'opensAt must be a moment'],
		['--max-submissions', 'many', 'maxSubmissions must be a whole number'],
		['--aliases', 'jotform', 'aliases.0 must be'],
		['--context', 'cookies', 'context.cookies'],
		['--context', 'address:half', 'context.address must be'],
		['--context', 'address:network, address:full', '"context.address:full" is not known here'],
		['--context', 'address:network:full', 'context.address must be'],
		['--files', '2, 1MiB, 2MiB', 'files.types.0 must be'],
		['--files', '2, drop, refuse', 'files.types.0 must be'],
		['--retention', 'forever', 'retention.days must be'],
		['--retention', '365,30,90', '"retention.30" is not known here. Known are: days, spamDays, filesDays.'],
		['--retention', 'days:365, days:30', '"retention.days:30" is not known here'],
	] as const) {
		expect((await cli.call('forms', 'update', slug, option, value)).stderr).toContain(sentence);
	}
});

test('live and test forms are listed together or apart, newest first', async () => {
	await cli.call('forms', 'create', 'One');
	await cli.call('forms', 'create', 'Two', '--test');
	const names = async (...argv: string[]) =>
		(await cli.json('forms', 'list', ...argv)).map(({ name }: { name: string }) => name);
	expect(await names()).toEqual(['Two', 'One']);
	expect(await names('--mode', 'live')).toEqual(['One']);
	expect(await names('--mode', 'test')).toEqual(['Two']);
	expect((await cli.call('forms', 'list')).stdout).toMatch(/^ID +SLUG +MODE[\s\S]*Two\n[\s\S]*One\n$/);
});

test('the given settings are changed, "none" clears, the rest stays', async () => {
	const { slug } = await cli.json(
		'forms',
		'create',
		'Contact',
		'--redirect-url',
		'https://example.com/',
		'--allowed-domains',
		'a.org',
	);
	expect(await cli.json('forms', 'update', slug, '--active', 'false', '--name', 'New')).toMatchObject({
		name: 'New',
		isActive: false,
		redirectUrl: 'https://example.com/',
	});
	expect(
		await cli.json('forms', 'update', slug, '--redirect-url', 'none', '--allowed-domains', 'none', '--files', 'none'),
	).toMatchObject({
		isActive: false,
		redirectUrl: null,
		allowedDomains: [],
		files: null,
	});
});

test.each([
	[['keys', 'create', '--form', ''], '--form'],
	[['keys', 'create', '--name', ''], '--name'],
	[['keys', 'create', '--expires', ''], '--expires'],
	[['forms', 'create', ''], '<name>'],
	[['forms', 'create', 'Contact', '--allowed-domains', ''], '--allowed-domains'],
	[['forms', 'update', 'contact', '--notification-email', ''], '--notification-email'],
	[['forms', 'list', '--data-dir', ''], '--data-dir'],
	[['submissions', 'list', 'contact', '--search', ''], '--search'],
])('an empty text, as of a variable that is not set, is no value: %j', async (argv, name) => {
	expect(await cli.call(...argv)).toEqual({
		code: 2,
		stdout: '',
		stderr: `${name} must not be empty. See formsrv ${argv[0]} ${argv[1]} --help.\n`,
	});
});

test('empty domains are rejected, and open no form', async () => {
	const { code, stderr } = await cli.call('forms', 'create', 'Contact', '--allowed-domains', 'a.org,');
	expect(code).toBe(2);
	expect(stderr).toEndWith('allowedDomains.1 must be a domain such as example.com, or localhost:3000.\n');
});

test('an update without a change is wrong usage', async () => {
	expect(await cli.call('forms', 'update', 'contact')).toMatchObject({
		code: 2,
		stderr: 'Nothing to change was given. See formsrv forms update --help.\n',
	});
});

test('a setting that is not valid is named', async () => {
	const { code, stderr } = await cli.call('forms', 'create', 'Contact', '--redirect-url', 'javascript:alert(1)');
	expect(code).toBe(2);
	expect(stderr).toContain('redirectUrl must');
});

test('a form is cloned with its settings, webhooks and lists, and without what it holds', async () => {
	cli.env.FORMSRV_WEBHOOK_ALLOW = '127.0.0.1';
	const settings = ['--redirect-url', 'https://example.com/x', '--kept-in', 'site'];
	const form = await cli.json('forms', 'create', 'Contact', '--test', '--slug', 'contact', ...settings);
	await cli.json('webhooks', 'create', 'contact', '--url', 'https://hooks.example.com/a', '--name', 'plain');
	await cli.json(
		'webhooks',
		'create',
		'contact',
		'--url',
		'https://hooks.example.com/b',
		'--headers',
		'{"X-Key":"secret"}',
	);
	await cli.json('lists', 'add', 'block', 'domain:spam.example', '--form', 'contact');
	const { code, stderr } = await cli.call('forms', 'clone', 'contact', 'Copy', '--slug', 'copy');
	expect([code, stderr]).toEqual([0, expect.stringContaining('has headers, and is not taken along: add it to copy')]);
	const copy = await cli.json('forms', 'show', 'copy');
	const own = { id: expect.not.stringMatching(form.id), name: 'Copy', slug: 'copy', createdAt: expect.any(String) };
	expect(copy).toEqual({ ...form, ...own, keptIn: null });
	expect((await cli.json('webhooks', 'list', 'copy')).map(({ name }: { name: string }) => name)).toEqual(['plain']);
	expect((await cli.json('lists', 'show', '--form', 'copy')).block).toEqual(['domain:spam.example']);
	await cli.call('forms', 'update', 'contact', '--active', 'false');
	expect(await cli.json('forms', 'clone', form.id, 'Paused')).toMatchObject({ isActive: false, mode: 'test' });
});

test('the code for a page is printed for the submit address, and nothing else', async () => {
	cli.env.FORMSRV_SUBMIT_URL = 'https://f.example.com';
	await cli.json('forms', 'create', 'Contact', '--slug', 'contact');
	const { stdout, stderr } = await cli.call('forms', 'snippet', 'contact');
	expect(stdout).toStartWith(
		'<form action="https://f.example.com/f/contact" method="POST" accept-charset="utf-8">\n  <label',
	);
	expect(stdout).toEndWith('</form>\n');
	const { code } = await cli.json('forms', 'snippet', 'contact');
	expect(stdout).toBe(`${code}\n`);
	expect(stderr).toBe('');
	for (const kind of ['html', 'fetch', 'react', 'vue', 'astro']) {
		const shown = await cli.json('forms', 'snippet', 'contact', kind);
		expect(shown).toEqual({ kind, code: expect.stringContaining('https://f.example.com/f/contact') });
	}
	expect((await cli.call('forms', 'snippet', 'contact', 'angular')).code).toBe(2);
});

test('a form is deleted only with --yes', async () => {
	const { slug } = await cli.json('forms', 'create', 'Contact');
	expect(await cli.call('forms', 'delete', slug)).toMatchObject({
		code: 2,
		stderr: `This deletes form "Contact" (${slug}) and its 0 submissions, which cannot be undone. Add --yes to do it.\n`,
	});
	expect((await cli.call('forms', 'delete', slug, '--yes')).code).toBe(0);
	expect(await cli.json('forms', 'list')).toEqual([]);
	expect((await cli.call('forms', 'delete', slug, '--yes')).code).toBe(1);
});

test('untrusted names cannot control the terminal', async () => {
	await cli.call('forms', 'create', 'a\u202eb\x9b2Jc');
	const { stdout } = await cli.call('forms', 'list');
	expect(stdout).toContain('a\\u202eb\\u009b2Jc');
	expect((await cli.call('forms', 'list', '--json')).stdout).toContain('a\\u202eb\\u009b2Jc');
});

test('field rules are JSON, or the name of a file that holds them', async () => {
	const { slug } = await cli.json(
		'forms',
		'create',
		'Rules',
		'--fields',
		'[{"name":"email","type":"email","required":true}]',
	);
	expect((await cli.call('forms', 'show', slug)).stdout).toMatch(/^fields +email \(email, required\)$/m);
	await Bun.write(cli.path('rules.json'), '[{"name":"zip","type":"text","pattern":"\\\\d{5}"}]');
	expect(await cli.json('forms', 'update', slug, '--fields', '@rules.json', '--unknown-fields', 'drop')).toMatchObject({
		fields: [{ name: 'zip', type: 'text', pattern: '\\d{5}' }],
		unknownFields: 'drop',
	});
	expect(await cli.json('forms', 'update', slug, '--fields', 'none')).toMatchObject({ fields: null });
});

test.each([
	['{', 'JSON'],
	['@missing.json', 'There is no file missing.json.\n'],
	['@.', '. cannot be read: illegal operation on a directory.\n'],
	['{"name":"a"}', 'fields must be'],
	['[{"name":"a","type":"colour"}]', 'fields.0.type must be "text"'],
	['[{"name":"a","type":"number","max":0.12345678901234567890}]', 'fields.0.max has more digits'],
	['[{"name":"a","type":"text","pattern":"("}]', 'fields.0.pattern must be a regular expression'],
])('the field rules %s are rejected: %s', async (text, message) => {
	const { code, stderr } = await cli.call('forms', 'create', 'Wrong', '--fields', text);
	expect(code).toBeGreaterThan(0);
	expect(stderr).toContain(message);
});

test('field rules are suggested from the submissions of a form', async () => {
	const { slug } = await cli.json('forms', 'create', 'Suggest');
	expect(await cli.json('forms', 'suggest-fields', slug)).toEqual({ fields: [], scanned: 0 });
	const { stdout, stderr } = await cli.call('forms', 'suggest-fields', slug);
	expect(JSON.parse(stdout)).toEqual([]);
	expect(stderr).toContain('Proposed from 0 submissions.');
});
