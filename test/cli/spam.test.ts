/** `formsrv spam`: marks, explains, learns anew and forgets. */

import { beforeEach, expect, test } from 'bun:test';
import { openApp } from '../../src/app.ts';
import { decodeId, encodeId } from '../../src/ids.ts';
import { createLog } from '../../src/log/log.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
let form: { id: string; slug: string };
let unwanted: string[];
let wanted: string[];

beforeEach(async () => {
	cli = openCommandLine();
	form = await cli.json('forms', 'create', 'Pottery', '--slug', 'pottery');
	const app = await openApp(cli.config(), { log: createLog({ level: 'error', format: 'json', write: () => {} }) });
	const append = async (message: string) => {
		const { storage } = app;
		const row = { formId: decodeId(form.id) as number, data: JSON.stringify({ message }) };
		const rest = { names: ['message'], spamReason: null, subject: null, replyTo: null };
		return encodeId(await storage.submissions.append({ ...row, ...rest }));
	};
	unwanted = [];
	wanted = [];
	for (let i = 0; i < 20; i++) {
		unwanted.push(await append(`We wash gutters of offices, crew ${i}`));
		wanted.push(await append(`A question on pottery in week ${i}`));
	}
	await app.close();
});

test('marks by id and by criteria, learns from them, and explains with them', async () => {
	expect((await cli.call('spam', 'mark', 'pottery', 'spam', ...unwanted)).stdout).toBe('20 marked as spam.\n');
	expect(await cli.json('spam', 'mark', 'pottery', 'genuine', '--filter', 'all')).toEqual({ updated: 20 });
	const before = await cli.call('spam', 'explain', 'pottery', '--text', 'We wash gutters of offices');
	expect(before.stdout).toBe('No spam. Score 0, threshold 5.\n');
	expect(before.stderr).toContain('The words of this form say nothing yet: 0 marked as spam and 0 as genuine');
	expect((await cli.call('spam', 'train')).stdout).toBe('Learnt from 40 marks.\n');

	const spam = await cli.call('spam', 'explain', 'pottery', '--text', 'We wash gutters of offices');
	expect(spam.stdout).toMatch(/^Spam \(score\)\. Score \d\.?\d?, threshold 5\.\nPOINTS +RULE +FOUND\n\+\d/);
	expect(spam.stdout).toContain('Words in this form');
	expect(spam.stdout).toMatch(/EVIDENCE +PART\n\+\d\.?\d* +text\n/);
	expect(spam.stdout).toMatch(/WEIGHT +WORD +PART\n\+\d\.\d+ +/);
	const own = await cli.json('spam', 'explain', 'pottery', unwanted[0] as string);
	expect(own).toMatchObject({ isSpam: true, spamReason: 'marked', mark: 'spam', spamScore: 0 });
	expect(own.words.form.points).toBeGreaterThan(1);

	expect((await cli.call('spam', 'reset')).code).toBe(2);
	expect((await cli.call('spam', 'reset', '--yes')).stdout).toBe('Forgot 40 marks.\n');
	expect(await cli.json('spam', 'explain', 'pottery', '--text', 'We wash gutters')).toMatchObject({ isSpam: false });
});

test('wrong calls are told what would be right', async () => {
	for (const [argv, sentence] of [
		[['explain', 'pottery'], 'Name a submission, or give a text with --text.\n'],
		[['explain', 'pottery', 'abc', '--text', 'x'], 'Name a submission, or give a text with --text.\n'],
		[
			['mark', 'pottery', 'spam'],
			'Name submissions, or choose them with --filter, --archived, --label, --search, --since or --until.\n',
		],
		[['mark', 'pottery', 'spam', 'abc', '--filter', 'all'], 'Name submissions, or choose them with'],
		[['reset'], 'This forgets what all marks have taught. Add --yes to do it.\n'],
	] as const) {
		const { code, stderr } = await cli.call('spam', ...argv);
		expect([code, stderr.startsWith(sentence) || stderr]).toEqual([2, true]);
	}
	expect((await cli.call('spam', 'explain', 'pottery', 'zzz')).stderr).toBe('There is no such submission.\n');
});
