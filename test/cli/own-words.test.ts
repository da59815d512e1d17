/** `formsrv submissions label` and `note`: what owners write, by id and by criteria. */

import { expect, test } from 'bun:test';
import { openCommandLine } from './command-line.ts';

test('labels are given and taken, and a note is written', async () => {
	const cli = openCommandLine();
	await cli.json('forms', 'create', 'Contact', '--slug', 'contact');
	await Bun.write(cli.path('old.csv'), 'at,n\n2024-01-01T00:00:00Z,1\n2024-01-02T00:00:00Z,2\n');
	await cli.json('import', 'old.csv', '--form', 'contact', '--time', 'at');
	const list = async () => (await cli.json('submissions', 'list', 'contact', '--order', 'asc')).submissions;
	const [{ id }] = await list();
	const label = (...argv: string[]) => cli.call('submissions', 'label', 'contact', ...argv);

	expect((await label('urgent', id)).stdout).toBe('1 with the label urgent.\n');
	expect((await label('new', '--filter', 'all')).stdout).toBe('2 with the label new.\n');
	const noted = await cli.call('submissions', 'note', 'contact', id, 'Called back.');
	expect(noted.stdout).toBe('The note is written.\n');
	expect(await list()).toMatchObject([
		{ labels: ['urgent', 'new'], note: 'Called back.' },
		{ labels: ['new'], note: null },
	]);
	expect((await cli.call('submissions', 'list', 'contact', '--label', 'urgent')).stdout).toContain('#urgent,#new');

	expect((await label('urgent', '--remove', '--label', 'urgent')).stdout).toBe('1 without the label urgent.\n');
	expect((await list()).map(({ labels }: { labels: string[] }) => labels)).toEqual([['new'], ['new']]);
	const { code, stderr } = await label(' urgent', id);
	expect([code, stderr]).toEqual([2, expect.stringContaining('addLabels.0 must be one line of 1 to 40 characters')]);
});
