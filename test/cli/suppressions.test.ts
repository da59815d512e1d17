/** `formsrv suppressions`: the addresses that get no mails for visitors. */

import { expect, test } from 'bun:test';
import { openCommandLine } from './command-line.ts';

test('they are counted by their reason, one a line', async () => {
	const cli = openCommandLine();
	await cli.call('keys', 'create');
	expect((await cli.call('suppressions', 'count')).stdout).toBe('WHY       ADDRESSES\nrejected  0\nasked     0\n');
	expect(await cli.json('suppressions', 'count')).toEqual({ rejected: 0, asked: 0 });
});
