/** `formsrv lists`: the block and allow lists of all forms, and of one. */

import { expect, test } from 'bun:test';
import { openCommandLine } from './command-line.ts';

test('lists are shown, added to and taken from, of all forms and of one', async () => {
	const cli = openCommandLine();
	await cli.json('forms', 'create', 'Contact', '--slug', 'contact');
	const added = await cli.call('lists', 'add', 'block', 'domain:Spam.example', 'cidr:203.0.113.0/24');
	expect(added.stdout).toBe('The block list has 2 entries.\n');
	// With the byte order mark of an editor.
	await Bun.write(`${cli.cwd}/friends.txt`, '\ufeffemail:ada@example.com\n\nemail:grace@example.com\n');
	const friends = ['--form', 'contact', '--file', `${cli.cwd}/friends.txt`];
	expect(await cli.json('lists', 'add', 'allow', ...friends)).toEqual({ block: 0, allow: 2 });
	expect(await cli.json('lists', 'show')).toEqual({ block: ['domain:spam.example', 'cidr:203.0.113.0/24'], allow: [] });
	expect((await cli.call('lists', 'show', '--form', 'contact')).stdout).toMatch(/^allow +email:ada@example\.com$/m);
	expect(await cli.json('lists', 'remove', 'block', 'domain:spam.example')).toEqual({ block: 1, allow: 0 });
	expect(await cli.json('lists', 'show', '--mode', 'test')).toEqual({ block: [], allow: [] });
});

test('a wrong entry, none at all and an unknown list are named', async () => {
	const cli = openCommandLine();
	await cli.json('forms', 'create', 'Contact');
	expect(await cli.call('lists', 'add', 'block', 'spam.example')).toMatchObject({
		code: 2,
		stderr: expect.stringContaining('block.add.0 must be email:, domain:, cidr: or text:'),
	});
	await Bun.write(cli.path('entries'), 'domain:spam.example\n\n# of May\n');
	const { stderr } = await cli.call('lists', 'add', 'block', '--file', 'entries');
	expect(stderr).toMatch(/^block\.add\.1 must be .+; not "# of May"\.\n$/);
	await Bun.write(cli.path('latin'), Buffer.from('text:gr\xfc\xdfe dich\n', 'latin1'));
	expect(await cli.call('lists', 'add', 'block', '--file', 'latin')).toMatchObject({
		code: 2,
		stderr: 'latin cannot be read: it is not valid UTF-8.\n',
	});
	expect(await cli.call('lists', 'add', 'block')).toMatchObject({ code: 2 });
	expect(await cli.call('lists', 'add', 'deny', 'x')).toMatchObject({ code: 2 });
	expect(await cli.call('lists', 'add', 'block', '--file', 'missing')).toMatchObject({
		code: 2,
		stderr: 'There is no file missing.\n',
	});
});
