/** An export opened by LibreOffice, where that is installed: nothing in it may be calculated. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createForm } from '../../dashboard/dashboard.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';

const OFFICE = Bun.which('soffice');
const TIMEOUT_MS = 120_000;
const SIGNS = ['=', '+', '-', '@', '\t=', '\r=', '\n=', ' =', '"=', "'=", '＝', '＋'];
const FORMULAS = ['1+1', 'SUM(A1:A9)', 'HYPERLINK("http://example.com";"x")', "cmd|' /C calc'!A0", 'DDE("a";"b";"c")'];
const PAYLOADS = SIGNS.flatMap((sign) => FORMULAS.map((formula) => sign + formula));

/** How many cells LibreOffice calculates in a CSV file. */
async function formulaCells(csv: string): Promise<number> {
	const folder = tempFolder();
	writeFileSync(join(folder, 'export.csv'), csv);
	const profile = `-env:UserInstallation=file://${folder}/profile`;
	await Bun.$`${OFFICE} --headless ${profile} --convert-to fods --outdir ${folder} ${join(folder, 'export.csv')}`.quiet();
	return readFileSync(join(folder, 'export.fods'), 'utf8').split('table:formula=').length - 1;
}

describe.skipIf(OFFICE === null)('LibreOffice', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
	});
	afterAll(() => server.close());

	test(
		'calculates formulas that nobody guarded',
		async () => {
			expect(await formulaCells('=1+1,+1+1,text\n')).toBeGreaterThan(0);
		},
		TIMEOUT_MS,
	);

	test(
		'finds none in an export, whatever was submitted as names and values',
		async () => {
			const form = await createForm(server, '=1+1');
			for (const payload of PAYLOADS) {
				const { status } = await server.call(`POST /api/f/${form.slug}`, {
					key: null,
					json: { [payload]: payload, same: payload },
					headers: { Accept: 'application/json' },
				});
				expect(status).toBe(200);
			}
			const { text } = await server.call(`GET /api/forms/${form.id}/export?format=csv`);
			expect(text.split('SUM(A1:A9)').length).toBeGreaterThan(PAYLOADS.length / FORMULAS.length);
			expect(await formulaCells(text)).toBe(0);
		},
		TIMEOUT_MS,
	);
});
