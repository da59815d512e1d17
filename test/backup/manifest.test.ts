/** The manifest of an archive: whatever stands in it, reading it ends in values that can be, or in a sentence. */

import { expect, test } from 'bun:test';
import { parseHeading, parseMember } from '../../src/backup/manifest.ts';

test.each(['', '{"format":', 'null', '[]', '7'])('the heading %p is rejected by a sentence', (line) => {
	expect(() => parseHeading(line)).toThrow(/^(?:The manifest has an invalid line: .*|It is not a formsrv backup\.)$/);
});

const sha256 = 'a'.repeat(64);
const member = (name: unknown, bytes: unknown = 1) => JSON.stringify({ name, bytes, sha256 });

test.each([
	'',
	'null',
	member('../formsrv.db'),
	member('/etc/passwd'),
	member(`files/../../${'a'.repeat(32)}`),
	member(`files/ab/${'a'.repeat(32)}`),
	member(['formsrv.db']),
	member('formsrv.db', -1),
	member('formsrv.db', 0.5),
	member('formsrv.db', 2 ** 53),
])('the member %p is rejected by a sentence', (line) => {
	expect(() => parseMember(line)).toThrow(`The manifest has an invalid line: ${line}`);
});
