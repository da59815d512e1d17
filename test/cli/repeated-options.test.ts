/** An option that takes one value is not given twice, of whichever command. */

import { expect, test } from 'bun:test';
import { openCommandLine } from './command-line.ts';

const cli = openCommandLine();

test.each([
	['--name', ['keys', 'create', '--name', 'a', '--name=b']],
	['--data-dir', ['keys', 'list', '--data-dir', 'a', '--data-dir', 'b']],
	['--port', ['serve', '--port', '0', '--port', '0']],
	['--output', ['submissions', 'export', 'x', '-o', 'a', '--output', 'b']],
	['--filter', ['submissions', 'list', 'x', '--filter', 'spam', '--filter', 'spam']],
	['--slug', ['forms', 'create', 'Contact', '--slug', 'a', '--slug', 'b']],
	['--state', ['deliveries', 'list', '--state', 'failed', '--state', 'sent']],
	['--form', ['lists', 'show', '--form', 'a', '--form', 'b']],
])('%s twice is exit 2, which names it', async (option, argv) => {
	const { code, stdout, stderr } = await cli.call(...argv);
	expect([code, stdout]).toEqual([2, '']);
	expect(stderr).toStartWith(`${option} must be given only once. See formsrv `);
});

test('an option without a value may be repeated, and so may one for a list', async () => {
	const form = await cli.json('forms', 'create', 'Contact');
	expect((await cli.call('keys', 'create', '--test', '--test')).code).toBe(0);
	expect((await cli.call('keys', 'create', '--form', form.id, '--form', form.id)).code).toBe(0);
});
