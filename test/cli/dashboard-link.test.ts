/** `formsrv dashboard-link`. */

import { expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { setupLinks } from '../../src/storage/session-tables.ts';
import { openCommandLine } from './command-line.ts';

test('prints a set-up link that works once, also before there is a database', async () => {
	const cli = openCommandLine();
	const { code, stdout, stderr } = await cli.call('dashboard-link');
	expect(code).toBe(0);
	expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:8080\/#\/setup\/[\w-]{43}\n$/);
	expect(stderr).toContain('It works once, within the next hour.');
	const storage = await openStorage(cli.config().database);
	expect(await storage.db.select().from(setupLinks)).toHaveLength(1);
	await storage.close();
	const elsewhere = await cli.call('dashboard-link', '--base-url', 'https://forms.example.com');
	expect(elsewhere.stdout).toStartWith('https://forms.example.com/#/setup/');
});

test.each([
	['0.0.0.0', 'http://localhost:8080/#/setup/'],
	['::', 'http://localhost:8080/#/setup/'],
	['::1', 'http://[::1]:8080/#/setup/'],
])('a listener at %s is opened at %s', async (host, address) => {
	expect((await openCommandLine().call('dashboard-link', '--host', host)).stdout).toStartWith(address);
});
