/** The status that the server shows to those who run it. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../../src/config/version.ts';
import type { Status } from '../../../src/dashboard/status/schema.ts';
import { isFile } from '../../../src/storage/open.ts';
import { startScriptedSmtp } from '../../delivery/scripted-smtp.ts';
import { openTestServer } from '../../server.ts';

const SECRET = 'smtp-secret-hunter2';
const peer = await startScriptedSmtp();
const smtpUrl = peer.url.replace('://', `://user:${SECRET}@`);
const dumps = mkdtempSync(join(tmpdir(), 'formsrv-dumps-'));
writeFileSync(join(dumps, 'forms.dump'), 'PGDMP');
const server = await openTestServer({
	settings: { FORMSRV_BACKUP_TO: dumps, FORMSRV_SMTP_URL: smtpUrl, FORMSRV_MAIL_FROM: 'Forms <forms@example.com>' },
});
afterAll(async () => {
	await server.close();
	await peer.close();
});

test('returns version, sizes, settings and mail, and no secret', async () => {
	const { status, body, text } = await server.call<Status>('GET /api/status');
	expect(status).toBe(200);
	expect(body).toMatchObject({
		version: VERSION,
		mail: { configured: true, from: 'Forms <forms@example.com>' },
		queue: { waiting: 0, failed: 0 },
	});
	const { database } = server.app.config;
	if (isFile(database)) {
		expect(body.database.sizeBytes).toBe(statSync(database).size);
		expect(body.database.freeBytes).toBeGreaterThan(0);
	} else {
		expect(body.database.sizeBytes).toBeGreaterThan(0);
		expect(body.database.freeBytes).toBeNull();
	}
	const setting = (name: string) => body.settings.find((candidate) => candidate.name === name);
	expect(setting('FORMSRV_PORT')).toEqual({ name: 'FORMSRV_PORT', value: '0', source: 'FORMSRV_PORT' });
	expect(setting('FORMSRV_MAX_BODY')).toEqual({ name: 'FORMSRV_MAX_BODY', value: '1MiB', source: 'default' });
	expect(setting('FORMSRV_SMTP_URL')?.value).toBe('(set, not shown)');
	expect(text).not.toContain(SECRET);
});

test('says when the last backup was made: never, with PostgreSQL as long as a dump stands alone', async () => {
	const { backup } = (await server.call<Status>('GET /api/status')).body;
	expect(backup).toMatchObject({ everySeconds: null, lastAt: null });
});
