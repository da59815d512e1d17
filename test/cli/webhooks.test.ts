/** `formsrv webhooks`: made, listed, tested, changed and deleted, with a receiver. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
let receiver: Bun.Server<undefined>;
let posted: { body: unknown; token: string | null }[];
let status: number;
let form: string;

beforeEach(async () => {
	cli = openCommandLine();
	[posted, status] = [[], 200];
	receiver = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			posted.push({ body: await request.json(), token: request.headers.get('x-token') });
			return new Response(null, { status });
		},
	});
	cli.env.FORMSRV_WEBHOOK_ALLOW = '127.0.0.1';
	form = (await cli.json('forms', 'create', 'Contact')).slug;
});
afterEach(() => receiver.stop(true));

const webhooks = (verb: string, ...rest: string[]) => cli.json('webhooks', verb, form, ...rest);

test('a webhook is made, listed, tested, changed and deleted', async () => {
	await Bun.write(cli.path('address.txt'), `${receiver.url.href}\n`);
	await Bun.write(cli.path('headers.json'), '{"X-Token": "abc"}');
	const made = await webhooks(
		'create',
		...['--url', '@address.txt', '--format', 'custom', '--body', '{"text": "{{form.name}}"}'],
		...['--headers', '@headers.json', '--where', '[{"field": "topic", "is": "Sales"}]', '--name', 'CRM'],
	);
	expect(made).toMatchObject({
		url: receiver.url.href,
		name: 'CRM',
		format: 'custom',
		body: { text: '{{form.name}}' },
		headers: { 'X-Token': null },
		where: [{ field: 'topic', is: 'Sales' }],
		secret: expect.stringMatching(/^whsec_/),
	});
	const { secret: _, ...shown } = made;
	expect(await webhooks('list')).toEqual([shown]);
	expect(await webhooks('test', made.id)).toMatchObject({ delivered: true, status: 200 });
	expect(posted).toEqual([{ body: { text: 'Contact' }, token: 'abc' }]);
	const changed = await webhooks(
		'update',
		made.id,
		'--format',
		'discord',
		'--include',
		'all',
		'--where',
		'none',
		'--active',
		'false',
	);
	expect(changed).toMatchObject({ format: 'discord', include: 'all', where: [], body: null, isActive: false });
	expect((await cli.call('webhooks', 'list', form)).stdout).toMatch(/off +discord +submission\.created .*CRM/);
	expect(await webhooks('delete', made.id)).toEqual({ deleted: made.id });
	expect(await webhooks('list')).toEqual([]);
	expect((await cli.call('webhooks', 'delete', form, made.id)).stderr).toContain('There is no such webhook');
});

test('a test that fails says why, and exits with 1', async () => {
	const { id } = await webhooks('create', '--url', receiver.url.href);
	status = 500;
	const { code, stdout, stderr } = await cli.call('webhooks', 'test', form, id);
	expect([code, stdout, stderr]).toEqual([1, '', 'Responded with 500\n']);
	const shown = await cli.call('webhooks', 'test', form, id, '--json');
	expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([1, { delivered: false, status: 500 }]);
});

test.each<[string[], string]>([
	[['create'], '--url is missing'],
	[['create', '--url', '@nowhere.txt'], 'There is no file nowhere.txt.\n'],
	[['create', '--url', 'https://x.example', '--format', 'fax'], 'Allowed choices are standard'],
	[['create', '--url', 'https://x.example', '--where', '{'], '--where must be JSON'],
	[['create', '--url', 'https://x.example', '--where', '{"field": "a"}'], 'where must be null or a list'],
	[['create', '--url', 'https://x.example', '--events', 'form.deleted'], 'events.0 must be'],
	[['create', '--url', 'https://x.example', '--format', 'gotify'], 'url must lead to /message'],
	[['update', 'x'], 'Nothing to change'],
	[['update', 'x', '--url', 'none'], 'There is no such webhook'],
])('%j is wrong: %s', async ([verb = '', ...rest], why) => {
	const { code, stderr } = await cli.call('webhooks', verb, form, ...rest);
	expect([code > 0, stderr]).toEqual([true, expect.stringContaining(why)]);
});
