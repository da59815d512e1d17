/** The program for a spreadsheet that docs/webhooks.md shows, with the body that the page shows, run as it stands there. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { requestOf } from '../../../src/delivery/webhooks/message.ts';

const page = await Bun.file(join(import.meta.dir, '../../../docs/webhooks.md')).text();
const [, program = ''] = /```gs\n([\s\S]*?)```/.exec(page) ?? [];
const [, setup = ''] = /```json\n(\{\s*"format": "custom",\s*"url": "https:\/\/n8n[\s\S]*?)```/.exec(page) ?? [];

/** As a spreadsheet reads what it is given: after an apostrophe a text, else a formula or a number if it looks like one. */
function cellOf(given: string): string {
	if (given.startsWith("'")) return given.slice(1);
	if (/^[=+@-]/.test(given)) return '#FORMULA!';
	return /^\d+$/.test(given) ? String(Number(given)) : given;
}

test('it adds a row for each submission once, for whoever has the token, of texts as they were sent', () => {
	const rows: string[][] = [];
	const sheet = {
		createTextFinder: (text: string) => ({
			matchEntireCell: () => ({ findNext: () => rows.flat().find((cell) => cell === text) ?? null }),
		}),
		appendRow: (row: string[]) => rows.push(row.map(cellOf)),
	};
	const services = {
		SpreadsheetApp: { getActiveSpreadsheet: () => ({ getSheets: () => [sheet] }) },
		HtmlService: { createHtmlOutput: (text: string) => text },
	};
	const doPost = new Function(...Object.keys(services), `${program}; return doPost;`)(...Object.values(services));
	const data = JSON.stringify({
		name: '=IMPORTXML("https://evil.example")',
		email: '00441632960961',
		message: '{{name}} "x"',
	});
	const told = {
		event: 'submission.created',
		headline: 'new submission',
		form: { id: 1, name: 'Contact', fields: null },
		submission: { id: 'cmnrg2x8a1c', createdAt: '2026-01-02T03:04:05.678Z', data },
		baseUrl: 'https://forms.example.com',
	};
	const { url, format, body } = JSON.parse(setup);
	const post = (token: string) =>
		doPost({
			parameter: { token },
			postData: { contents: requestOf(told, { url, format, include: 'all', body }, 'msg_1').body },
		});
	expect(post('wrong')).toBe('ok');
	expect(rows).toEqual([]);
	expect([post('choose-a-long-word'), post('choose-a-long-word')]).toEqual(['ok', 'ok']);
	expect(rows.map((row) => row.slice(1))).toEqual([
		['2026-01-02T03:04:05.678Z', '=IMPORTXML("https://evil.example")', '00441632960961', '{{name}} "x"'],
	]);
});
