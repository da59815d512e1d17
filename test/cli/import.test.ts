import { beforeEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import type { AuditEntry } from '../../src/audit/schema.ts';
import { openTestServer } from '../server.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;

beforeEach(async () => {
	cli = openCommandLine();
	await cli.json('forms', 'create', 'Contact', '--slug', 'contact');
});

const importFile = (name: string, text: string | Uint8Array, ...options: string[]) => {
	writeFileSync(cli.path(name), text);
	return cli.call('import', name, '--form', 'contact', ...options);
};
const exported = async (slug = 'contact', ...options: string[]) => {
	const { stdout } = await cli.call('submissions', 'export', slug, '--format', 'ndjson', '--order', 'asc', ...options);
	return stdout
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line));
};

test('reads CSV as services and spreadsheets write it', async () => {
	const text =
		'\ufeff"Submission Date";E-mail;"Message; long";IP;Spam\r\n' +
		'2024-01-02 03:04:05 UTC;ada@example.com;"He said ""no"";\r\nand left";192.0.2.1;no\r\n' +
		'2024-01-02T03:04:06+01:00;;007;;yes\n' +
		'\n' +
		'2024-01-03;grace@example.com;=1+1\n';
	const { code, stderr } = await importFile('old.csv', text, '--from', 'basin', '--map', 'E-mail=email');
	expect([code, stderr]).toEqual([0, '3 submissions imported, 0 there already, 0 rows left out.\n']);
	expect(await exported()).toMatchObject([
		{
			data: { email: 'ada@example.com', 'Message; long': 'He said "no";\r\nand left' },
			createdAt: '2024-01-02T03:04:05.000Z',
			isRead: true,
		},
		{ data: { email: 'grace@example.com', 'Message; long': '=1+1' }, createdAt: '2024-01-03T00:00:00.000Z' },
	]);
	const [spam] = await exported('contact', '--filter', 'spam');
	expect(spam).toMatchObject({
		data: { 'Message; long': '007' },
		createdAt: '2024-01-02T02:04:06.000Z',
		spamReason: 'marked',
	});
	expect(Object.keys(spam.data)).toEqual(['Message; long']);
});

test('names by line what is left out, and ends with 1', async () => {
	const rows = Array.from({ length: 40 }, (_, i) => `2024-01-01T00:00:${`${i}`.padStart(2, '0')}Z,"a\nb"`);
	const { code, stdout, stderr } = await importFile(
		'a.csv',
		['at,text', ...rows, 'yesterday,c'].join('\n'),
		'--time',
		'at',
	);
	expect(code).toBe(1);
	expect(stdout).toMatch(/^LINE {2}PROBLEM\n82 {4}Its time "yesterday" is none such as/);
	expect(stderr).toContain('40 submissions imported, 0 there already, 1 row left out.');
});

test('a wrong file stores nothing', async () => {
	const rows = Array.from({ length: 20 }, (_, i) => `2024-01-01T00:00:${10 + i}Z,a`);
	const wrong: [string, string | Uint8Array, RegExp][] = [
		['no time', ['at,text', ...rows].join('\n'), /has no time/],
		['a column twice', 'at,text,at\n1,2,3', /"at" occurs twice in the first line: give each a name of its own there\./],
		[
			'an open quote',
			`at,text,more\n2024-01-01,"a\nb","c\n${rows.join('\n')}`,
			/quote that begins at line 3 is not closed/,
		],
		['an open quote in the first line', `at,"text\n"2024-01-01","a"`, /Line 1: Text follows the end of a quote/],
		['no UTF-8', Buffer.from('at,text\n2024-01-01,\xff', 'latin1'), /not valid UTF-8/],
		['UTF-16', Buffer.from('\ufeffat,text\n2024-01-01,a', 'utf16le'), /not valid UTF-8: save it as UTF-8/],
		['nothing', '', /The file is empty/],
		['blank lines', '\ufeff\r\n\n', /The file is empty/],
		['a list', '[{"at":"2024-01-01","n":1}]', /single JSON document.*jq -c/],
		['an object in one line', '{"fields":["n"],"submissions":[{"at":"2024-01-01","n":1}]}', /single JSON document/],
		['an object over several lines', '{\n  "submissions": [\n    {"n":1}\n  ]\n}', /single JSON document/],
	];
	for (const [name, text, sentence] of wrong) {
		const { code, stdout, stderr } = await importFile(
			'wrong.csv',
			text,
			...(name === 'no time' ? [] : ['--time', 'at']),
		);
		expect(code).toBe(1);
		expect(stdout + stderr).toMatch(sentence);
		expect(stderr).not.toContain('Run it again');
	}
	expect(await exported()).toEqual([]);
	expect((await cli.call('import', 'none.csv', '--form', 'contact')).stderr).toContain('There is no file none.csv.');
	expect((await cli.call('import', 'wrong.csv/a.csv', '--form', 'contact')).stderr).toBe(
		'wrong.csv/a.csv cannot be read: not a directory.\n',
	);
	Bun.spawnSync(['mkfifo', cli.path('pipe')]);
	for (const path of ['.', 'pipe', '/dev/zero']) {
		const { code, stderr } = await cli.call('import', path, '--form', 'contact');
		expect([code, stderr]).toEqual([2, `${path} is no regular file: save it as one first.\n`]);
		const archive = await importFile('a.csv', 'at,n\n', '--time', 'at', '--files', path);
		expect(archive.stderr).toContain(`${path} is no regular file`);
	}
	expect((await importFile('wrong.csv', 'a\n', '--map', 'a')).code).toBe(2);
	const twice = await importFile('wrong.csv', 'a\n', '--map', 'a=b', '--map', 'a=c');
	expect([twice.code, twice.stderr]).toEqual([2, '--map names "a" twice.\n']);
});

test('an option that names a column which is not there is not left at that', async () => {
	const [lines, csv] = [
		'{"at":"2024-01-01","n":1}\n{"at":"2024-01-02","Junk":null,"n":2}\n',
		'at,Junk\n2024-01-01,1\n',
	];
	for (const option of ['--map', '--time', '--spam']) {
		const value = option === '--map' ? 'n ame=name' : 'n ame';
		const time = option === '--time' ? [] : ['--time', 'at'];
		const { code, stdout, stderr } = await importFile('a.csv', csv, ...time, option, value);
		const sentence = `${option} names "n ame", which the file does not have. Its columns are "at", "Junk".\n`;
		expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)]);
	}
	const { stderr } = await importFile('a.csv', csv);
	expect(stderr).toContain(
		'The file has no time: name its column with --time, or add --time-now. Its columns are "at"',
	);
	expect(await exported()).toEqual([]);

	const options = ['--time', 'AT', '--spam', 'junk', '--map', 'm=', '--map', 'n=number'];
	const { code, stderr: note } = await importFile('a.ndjson', lines, ...options);
	expect(code).toBe(0);
	expect(note).toBe(
		'2 submissions imported, 0 there already, 0 rows left out.\n' +
			'--map names "m", which no row has; rows of formsrv’s own exports stay as they are.\n',
	);
	expect(await exported()).toMatchObject([{ data: { number: 1 } }, { data: { number: 2 } }]);
});

test('lines that are no submission are named for what they are', async () => {
	const lines = [
		'[1]',
		'null',
		'{"at":{"y":2024},"n":1}',
		'{"at":1704067200,"n":1}',
		'{"at":null,"n":1}',
		'{"n":',
		'{"data":{"a":1},"createdAt":5}',
		'{"data":{"a":1},"createdAt":null}',
	];
	const { code, stdout } = await importFile('a.ndjson', lines.join('\n'), '--time', 'at');
	expect(code).toBe(1);
	expect(stdout.split('\n').map((line) => line.replace(/^(\d) +/, '$1 '))).toEqual([
		'LINE  PROBLEM',
		'1 It is no JSON object.',
		'2 It is no JSON object.',
		'3 Its time "{\\"y\\":2024}" is none such as 2026-01-02T03:04:05Z.',
		'4 Its time "1704067200" is none such as 2026-01-02T03:04:05Z.',
		'5 It has no time.',
		'6 The JSON is not valid: expected a value at line 1, column 6, where it ends.',
		'7 createdAt must be a text.',
		'8 createdAt must be a text.',
		'',
	]);
});

test('an export of a hundred thousand digits goes from form to form, and a second time nowhere', async () => {
	const digits = '1234567890'.repeat(10_000);
	await importFile('a.ndjson', `{"data":{"n":${digits}},"createdAt":"2024-01-01T00:00:00.001Z","isStarred":true}\n`);
	const { stdout } = await cli.call('submissions', 'export', 'contact', '--format', 'ndjson');
	expect(stdout).toContain(`{"n":${digits}}`);
	await cli.json('forms', 'create', 'Copy', '--slug', 'copy');
	writeFileSync(cli.path('b.ndjson'), stdout);
	expect(await cli.json('import', 'b.ndjson', '--form', 'copy')).toMatchObject({ imported: 1 });
	expect(await cli.json('import', 'b.ndjson', '--form', 'copy')).toMatchObject({ imported: 0, known: 1 });
	const copied = await cli.call('submissions', 'export', 'copy', '--format', 'ndjson');
	expect(copied.stdout.replace(/"id":"\w+"/, '')).toBe(stdout.replace(/"id":"\w+"/, ''));
});

test('all submissions go from form to form by the three exports that the help names', async () => {
	const flags = ['"isArchived":true', '"isSpam":true', '"isPending":true', '"isStarred":true'];
	const line = (flag: string, i: number) => `{"data":{"n":${i}},"createdAt":"2024-01-01T00:00:00.00${i}Z",${flag}}\n`;
	await importFile('a.ndjson', flags.map(line).join(''));
	const { stdout } = await cli.call('submissions', 'export', '--help');
	expect(stdout.replace(/\s+/g, ' ')).toContain('(default: all but spam and pending ones)');
	await cli.json('forms', 'create', 'Copy', '--slug', 'copy');
	for (const filter of [[], ['--filter', 'spam'], ['--filter', 'pending']]) {
		const lines = (await exported('contact', ...filter)).map((one) => `${JSON.stringify(one)}\n`);
		writeFileSync(cli.path('b.ndjson'), lines.join(''));
		await cli.json('import', 'b.ndjson', '--form', 'copy');
		const withoutId = ({ id, ...rest }: Record<string, unknown>) => rest;
		const sent = (await exported('contact', ...filter)).map(withoutId);
		expect((await exported('copy', ...filter)).map(withoutId)).toEqual(sent);
		expect(sent.length).toBe(filter.length === 0 ? 2 : 1);
	}
});

test('takes NDJSON of another service by its names, nested fields too', async () => {
	const lines = [
		'{"_date":"2018-11-03T07:28:29.707632","_id":2,"email":"a@example.com","n":1.10}',
		'{"created_at":"2018-11-04T00:00:00Z","number":1,"data":{"email":"b@example.com"}}',
	];
	expect((await importFile('a.txt', lines[0] as string, '--from', 'formspree')).code).toBe(0);
	expect((await importFile('b.txt', lines[1] as string, '--from', 'netlify')).code).toBe(0);
	const { stdout } = await cli.call('submissions', 'export', 'contact', '--format', 'ndjson', '--order', 'asc');
	expect(stdout).toContain('"data":{"email":"a@example.com","n":1.10},"createdAt":"2018-11-03T07:28:29.707Z"');
	expect(stdout).toContain('"data":{"email":"b@example.com"},"createdAt":"2018-11-04T00:00:00.000Z"');
});

test('a field of the form that is called date is not taken for the time of a service that has another', async () => {
	const text = 'date,Submitted At,name\n2024-05-01,2024-01-02T03:04:05Z,Ada\n';
	expect((await importFile('booking.csv', text, '--from', 'basin')).code).toBe(0);
	expect(await exported()).toMatchObject([
		{ data: { date: '2024-05-01', name: 'Ada' }, createdAt: '2024-01-02T03:04:05.000Z' },
	]);
	expect((await importFile('dated.csv', 'Date,name\n2024-05-01,Bob\n', '--from', 'basin')).code).toBe(0);
	expect(await exported()).toMatchObject([{}, { data: { name: 'Bob' }, createdAt: '2024-05-01T00:00:00.000Z' }]);
});

test('a quote that is not closed, or not doubled, costs the rows that it spoils', async () => {
	const rows = Array.from({ length: 60 }, (_, i) => `2024-01-01T00:00:${10 + (i % 50)}Z,"text ${i}"`);
	rows[20] = '2024-01-02,"open';
	rows[40] = '2024-01-03,"the "so-called" end"';
	const { code, stdout, stderr } = await importFile('a.csv', ['at,text', ...rows].join('\n'), '--time', 'at');
	expect([code, stderr]).toEqual([1, '57 submissions imported, 0 there already, 2 rows left out.\n']);
	expect(stdout).toMatch(/\n22 +Text follows the end of a quote.*\n42 +Text follows/);
});

test('--map reaches the fields within those of Netlify', async () => {
	const line =
		'{"created_at":"2018-11-04T00:00:00Z","ip":"192.0.2.1","data":{"E-mail":"b@example.com","n":1.10,"ip":"192.0.2.1"}}';
	const { code } = await importFile('a.ndjson', line, '--from', 'netlify', '--map', 'E-mail=email', '--map', 'ip=');
	expect(code).toBe(0);
	const { stdout } = await cli.call('submissions', 'export', 'contact', '--format', 'ndjson');
	expect(stdout).toContain('"data":{"email":"b@example.com","n":1.10}');
});

test('is one entry of the audit log, with all that it stored', async () => {
	const rows = Array.from({ length: 2500 }, (_, i) => `2024-01-01T00:00:00.${100 + (i % 900)}Z,text ${i}`);
	expect((await importFile('a.csv', ['at,text', ...rows].join('\n'), '--time', 'at')).code).toBe(0);
	expect((await importFile('a.csv', ['at,text', ...rows].join('\n'), '--time', 'at')).code).toBe(0);
	const entries = await cli.json('audit', '--action', 'importSubmissions');
	expect(entries.map(({ count, details }: AuditEntry) => [count, details.counts])).toEqual([
		[1, undefined],
		[1, { submissions: 2500 }],
	]);
});

test.each([
	[
		'',
		/^2,000 submissions imported by then, 0 there already, and perhaps some more\. Run it again with the whole file: nothing/,
	],
	[
		'--time-now',
		/^2,000 submissions imported by then, .* Run it again with the rows that are missing: those that got the time/,
	],
])('cut, it says how much was stored by then %s', async (timeNow, said) => {
	const server = await openTestServer({ database: cli.config().database });
	let requests = 0;
	const proxy = Bun.serve({
		port: 0,
		fetch(request) {
			const { pathname, search } = new URL(request.url);
			if (pathname.endsWith('/import') && ++requests > 3) return new Response('cut', { status: 502 });
			return fetch(`${server.baseUrl}${pathname}${search}`, request);
		},
	});
	writeFileSync(cli.path('key'), server.adminKey);
	const rows = Array.from({ length: 4000 }, (_, i) => `2024-01-01T00:00:00.${100 + (i % 900)}Z,text ${i}`);
	const elsewhere = ['--time', 'at', '--server', proxy.url.origin, '--key-file', 'key', ...(timeNow ? [timeNow] : [])];
	const { code, stderr } = await importFile('a.csv', ['at,text', ...rows].join('\n'), ...elsewhere);
	await proxy.stop(true);
	await server.close();
	expect(code).toBe(1);
	expect(stderr).toMatch(said);
	expect(await exported()).toHaveLength(2000);
});
