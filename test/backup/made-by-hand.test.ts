/** Archives that this program never writes, with the right checksums: rejected before anything is changed, and by a sentence. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { END_BYTES, headerOf, MANIFEST, nameOfFile, paddingAfter } from '../../src/backup/layout.ts';
import { headingLine, lastLine, memberLine } from '../../src/backup/manifest.ts';
import { openCommandLine } from '../cli/command-line.ts';

setDefaultTimeout(60_000);

const KEY = 'ab'.repeat(16);
const DATABASE = 'formsrv.db';
const CONTENT = Buffer.from('not looked at');

const madeAt = new Date();
const heading = headingLine({ program: '0.1.0', madeAt });
const hashOf = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

function member(name: string, content: Buffer, headerName = name): Buffer {
	const header = headerOf(headerName, content.length, madeAt);
	return Buffer.concat([header, content, Buffer.alloc(paddingAfter(content.length))]);
}

/** @param more Lines of the manifest after those of the members. */
function archive(names: string[], { first = heading, more = '', headerNames = names } = {}): Buffer {
	const members = names.map((name, index) => member(name, CONTENT, headerNames[index]));
	const listed = names.map((name) => memberLine({ name, bytes: CONTENT.length, sha256: hashOf(CONTENT) }));
	const lines = Buffer.from([first, ...listed, more].join(''));
	const manifest = Buffer.concat([lines, Buffer.from(lastLine({ bytes: lines.length, sha256: hashOf(lines) }))]);
	return Buffer.concat([...members, member(MANIFEST, manifest), Buffer.alloc(END_BYTES)]);
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
const file = nameOfFile(KEY);
const order = 'formsrv.db is not the first member, or not the only one of its name.';
const cannotBe = 'The manifest has an invalid line: ';

test.each<[string, Buffer, string]>([
	['with the database behind a file', archive([file, DATABASE]), order],
	['with two databases', archive([DATABASE, DATABASE]), order],
	[
		'with a database that is not in it',
		archive([], { more: line({ name: DATABASE, bytes: 1, sha256: null }) }),
		cannotBe,
	],
	['with an absolute name', archive([DATABASE, '/etc/cron.d/evil']), cannotBe],
	['with a name that leads out', archive([DATABASE, '../../evil']), cannotBe],
	[
		'with another name in a header',
		archive([DATABASE, file], { headerNames: [DATABASE, '../evil'] }),
		`${file} is changed.`,
	],
	[
		'with a file that is larger than all of it',
		archive([DATABASE], { more: line({ name: file, bytes: 2 ** 52, sha256: hashOf(CONTENT) }) }),
		'The archive has more or fewer bytes than its manifest says.',
	],
	['with a long line', archive([DATABASE], { more: `${'x'.repeat(3_000_000)}\n` }), cannotBe],
	[
		'of a later format',
		archive([DATABASE], { first: line({ format: 'formsrv backup', version: 2, program: '9.1' }) }),
		'It is of version 2, this program reads 1: use the formsrv that made it (9.1).',
	],
	['of another program', archive([DATABASE], { first: line({}) }), 'It is not a formsrv backup.'],
])('an archive %s', async (_name, bytes, sentence) => {
	const cli = openCommandLine();
	writeFileSync(cli.path('x.tar'), bytes);
	const verify = await cli.call('backup', 'verify', 'x.tar', '--json');
	const { problems } = JSON.parse(verify.stdout);
	expect({ code: verify.code, problems }).toEqual({ code: 1, problems: [expect.stringContaining(sentence)] });
	const { code, stderr } = await cli.call('restore', 'x.tar');
	expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`cannot be restored. ${sentence}`) });
	expect(stderr).toEndWith(' Nothing was changed.\n');
	expect(stderr.length).toBeLessThan(600);
	expect(readdirSync(cli.cwd).sort()).toEqual(['formsrv-data', 'x.tar']);
	expect(readdirSync(cli.path('formsrv-data'))).toEqual(['formsrv.db.lock']);
	expect(existsSync(cli.path('formsrv-data', 'formsrv.db'))).toBe(false);
});
