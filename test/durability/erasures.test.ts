/** An erasure that was noted is done, however often the program is killed meanwhile; nothing of the person is left, anywhere. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import { forms } from '../../src/storage/tables.ts';
import type { Erasure } from '../../src/submissions/erasures/schema.ts';
import { runBinary, startBinary } from '../binary.ts';
import { databaseSettings } from '../engine.ts';
import { append } from '../storage/contract.ts';
import { allFiles, allText } from '../submissions/erasures/all-text.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(300_000);

const ADA = 'ada@example.org';
const SUBMISSIONS = 9000;
/** The rest are of Ada. */
const OTHERS = (SUBMISSIONS / 3) * 2;
const KILLS = 2;
/** An erasure that a kill interrupted goes on some time after the start. */
const PATIENCE = { withinMs: 100_000, everyMs: 5 };

async function fill(place: string): Promise<void> {
	const storage = await openStorage(place);
	const [form] = await storage.db.select({ id: forms.id }).from(forms);
	for (let at = 0; at < SUBMISSIONS; at += 1000) {
		const emails = Array.from({ length: 1000 }, (_, i) => ((at + i) % 3 === 0 ? ADA : `n${ADA}`));
		await Promise.all(
			emails.map((email) =>
				append(storage, { formId: form?.id ?? 0, data: JSON.stringify({ email }), names: ['email'] }),
			),
		);
	}
	await storage.close();
}

test('after each kill an erasure goes on, to its end', async () => {
	const cwd = tempFolder();
	const env: Record<string, string> = { ...(await databaseSettings(cwd)), FORMSRV_RATE_API: '0' };
	const place = env.FORMSRV_DATABASE_URL ?? join(cwd, 'formsrv-data', 'formsrv.db');
	const key = (await runBinary(['keys', 'create'], { cwd, env })).stdout.trim();
	const created = await runBinary(['forms', 'create', 'Contact', '--slug', 'contact', '--json'], { cwd, env });
	const { id } = JSON.parse(created.stdout) as { id: string };
	await fill(place);
	const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };

	let server = await startBinary({ cwd, env });
	const upload = new FormData();
	upload.set('email', `Ada <${ADA}>`);
	upload.set('cv', new File([`%PDF-1.7 of ${ADA}`], 'cv.pdf'));
	expect(
		(await fetch(`${server.submitUrl}/f/contact`, { method: 'POST', body: upload, redirect: 'manual' })).status,
	).toBe(303);
	const files = () => allFiles(join(cwd, 'formsrv-data'));
	expect(files()).toContain(`%PDF-1.7 of ${ADA}`);

	const body = JSON.stringify({ email: ADA, dryRun: false });
	const countLeft = async () => (await allText(place)).split(`"${ADA}"`).length - 1;
	/** At least as many are left, by the server's own count: reading all tables takes longer than the erasure. */
	const mostLeft = async () => {
		const response = await fetch(`${server.baseUrl}/api/forms/${id}`, { headers });
		return ((await response.json()) as { submissionCount: number }).submissionCount - OTHERS;
	};
	void fetch(`${server.baseUrl}/api/erasures`, { method: 'POST', headers, body }).catch(() => {});
	const left: number[] = [SUBMISSIONS - OTHERS];
	for (let kill = 0; kill < KILLS; kill++) {
		const former = left.at(-1) ?? 0;
		await until(async () => (await mostLeft()) < former && (await countLeft()) !== former, PATIENCE);
		await server.end('SIGKILL');
		left.push(await countLeft());
		server = await startBinary({ cwd, env });
	}
	await until(async () => {
		const response = await fetch(`${server.baseUrl}/api/erasures`, { headers });
		return ((await response.json()) as { erasures: Erasure[] }).erasures[0]?.state === 'done';
	}, PATIENCE);
	// Each was in the middle of it.
	expect(Math.min(...left)).toBeGreaterThan(0);
	expect(new Set(left).size).toBe(1 + KILLS);
	const counts = await runBinary(['forms', 'show', 'contact', '--json'], { cwd, env });
	expect(JSON.parse(counts.stdout)).toMatchObject({
		submissionCount: OTHERS,
		unreadCount: OTHERS,
	});
	await server.end('SIGTERM');
	const text = (await allText(place)).replaceAll(`n${ADA}`, '');
	expect(text.match(/.{0,80}ada@example\.org.{0,80}/)).toBeNull();
	expect(files()).not.toContain(`%PDF-1.7 of ${ADA}`);
});
