/** The types that a form takes, as visitors read them. */

import { expect, test } from 'bun:test';
import { describeTypes } from '../../src/files/describe-types.ts';
import { inEnglish } from '../../src/languages/translations.ts';

test.each([
	[['image/*', 'application/pdf'], 'PDF and pictures'],
	[['.pdf', 'application/pdf'], 'PDF'],
	[['.docx', '.doc', 'application/msword', '.odt', 'text/plain'], 'Word, ODT and text files'],
	[['image/png', 'image/jpeg', '.jpg', 'image/svg+xml'], 'PNG, JPEG and SVG'],
	[
		['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'text/csv', 'video/*'],
		'Excel, CSV and videos',
	],
	[['application/*', 'font/*', '.dwg'], 'DWG, documents and fonts'],
	[['application/x-7z-compressed', '.dwg', 'audio/mpeg'], '7Z, DWG and MP3'],
])('%p are told as: %s', (types, words) => {
	expect(inEnglish().show(describeTypes(types))).toBe(words);
});
