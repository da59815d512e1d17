/** An export opened by LibreOffice, where that is installed: nothing in it may be calculated. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Form } from '../../../src/forms/schema.ts';
import { createForm } from '../../dashboard/dashboard.ts';
import { withProgram } from '../../programs.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';

const office = withProgram('soffice');
const TIMEOUT_MS = 120_000;
const SIGNS = ['=', '+', '-', '@', '\t=', '\r=', '\n=', ' =', '"=', "'=", '＝', '＋'];
const FORMULAS = ['1+1', 'SUM(A1:A9)', 'HYPERLINK("http://example.com";"x")', "cmd|' /C calc'!A0", 'DDE("a";"b";"c")'];
const PAYLOADS = ['', 'x;', 'x\t', 'x\n', 'x;"'].flatMap((start) =>
	SIGNS.flatMap((sign) => FORMULAS.map((formula) => `${start}${sign}${formula};y`)),
);
/** By which the columns of the file are told apart. */
const SEPARATORS = { commas: 44, semicolons: 59, tabs: 9 };

/** A CSV file as LibreOffice opens it, in its own format. */
const open = (csv: string, separator = SEPARATORS.commas) =>
	convert('export.csv', csv, [`--infilter=Text - txt - csv (StarCalc):${separator},34,76,1`]);

async function convert(name: string, content: string | Uint8Array, options: string[] = []): Promise<string> {
	const folder = tempFolder();
	writeFileSync(join(folder, name), content);
	const profile = `-env:UserInstallation=file://${folder}/profile`;
	await Bun.$`${office.path} --headless ${profile} ${options} --convert-to fods --outdir ${folder} ${join(folder, name)}`.quiet();
	return readFileSync(join(folder, 'export.fods'), 'utf8');
}

/** How many cells LibreOffice calculates in a CSV file. */
const formulaCells = async (csv: string, separator?: number) =>
	(await open(csv, separator)).split('table:formula=').length - 1;

office.describe('LibreOffice', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
	});
	afterAll(() => server.close());

	async function exported(fields: object[], parameters = ''): Promise<string> {
		const form = await createForm(server, '=1+1');
		for (const data of fields) {
			const { status } = await server.submit(form.slug, data);
			expect(status).toBe(200);
		}
		const { text } = await server.call(`GET /api/forms/${form.id}/export?format=csv${parameters}`);
		return text;
	}

	test(
		'calculates formulas without a guard, also behind a semicolon where that separates',
		async () => {
			expect(await formulaCells('=1+1,+1+1,text\n')).toBeGreaterThan(0);
			const raw = await exported([{ same: 'x;=1+1;y' }], '&formulas=raw');
			expect(await formulaCells(raw, SEPARATORS.semicolons)).toBe(1);
		},
		TIMEOUT_MS,
	);

	test(
		'finds none in an export, whatever was submitted as names and values, and whatever separates its columns',
		async () => {
			const text = await exported(PAYLOADS.map((payload) => ({ [payload]: payload, same: payload })));
			expect(text.split('SUM(A1:A9)').length).toBeGreaterThan(PAYLOADS.length / FORMULAS.length);
			for (const separator of Object.values(SEPARATORS)) expect(await formulaCells(text, separator)).toBe(0);
		},
		TIMEOUT_MS,
	);

	test(
		'shows numbers and telephone numbers as they were sent',
		async () => {
			const sheet = await open(await exported([{ number: '-5', phone: '+49 30 123456', other: '+49 (0)30 12' }]));
			expect(sheet).toContain('office:value="-5"');
			for (const phone of ['+49 30 123456', '+49 (0)30 12']) expect(sheet).toContain(`<text:p>${phone}</text:p>`);
		},
		TIMEOUT_MS,
	);

	test(
		'opens a workbook: texts are texts, numbers and dates are what their rules say, and nothing is calculated',
		async () => {
			const fields = [
				{ name: 'guests', type: 'number', label: 'How many?' },
				{ name: 'day', type: 'date' },
			];
			const json = { name: 'Party', fields };
			const form = await server.createForm<Form>(json);
			await server.submit(form.slug, { guests: '12', day: '2026-03-29', zip: '01067', code: '1e5' });
			for (const text of PAYLOADS) expect((await server.submit(form.slug, { [text]: text })).status).toBe(200);
			const path = `/api/forms/${form.id}/export?format=xlsx&labels=true&timeZone=Asia/Tokyo`;
			const response = await fetch(server.baseUrl + path, { headers: { Authorization: `Bearer ${server.adminKey}` } });
			const sheet = await convert('export.xlsx', await response.bytes());
			expect(sheet.split('table:formula=')).toHaveLength(1);
			const wanted = ['office:value="12"', 'office:date-value="2026-03-29"'];
			for (const text of ['01067', '1e5', 'How many?', 'Received']) wanted.push(`<text:p>${text}</text:p>`);
			const received = new Date(Date.now() + 9 * 3600_000).toISOString().slice(0, 10);
			wanted.push(`office:date-value="${received}T`);
			expect(wanted.filter((text) => !sheet.includes(text))).toEqual([]);
		},
		TIMEOUT_MS,
	);
});
