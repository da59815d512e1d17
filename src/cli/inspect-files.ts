/** The part of `formsrv doctor` on attached files: their place, how full it is, whether it agrees with the database, the scanner. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { scanWithClamd } from '../files/clamd.ts';
import { compareFiles } from '../files/compare.ts';
import { NEARLY_FULL } from '../files/file-watch.ts';
import { openFileStore } from '../files/open.ts';
import { lackOfRoom } from '../files/tracked-store.ts';
import type { Database, FileRecords } from '../storage/database.ts';
import { KINDS } from '../storage/findings.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { plural } from '../text/plural.ts';
import type { Finding } from './doctor.ts';

const SCAN_TIMEOUT_MS = 5000;
/** Forms that are named. */
const LARGEST = 3;

/** @param database `undefined` if there is none, or none that this version reads */
export async function inspectAttachedFiles(config: Config, database: Database | undefined): Promise<Finding[]> {
	const scanner = await inspectScanner(config);
	const { folder, s3 } = config.files.place;
	const records = await database?.fileRecords();
	if (!s3 && !existsSync(folder) && !records?.stored.size) {
		return [{ subject: 'files', found: `none yet; they will be in ${folder}` }, ...scanner];
	}
	return [...inspectQuota(config, records), ...(await inspectStore(config, database)), ...scanner];
}

function inspectQuota({ files: { quota, formQuota } }: Config, records: FileRecords | undefined): Finding[] {
	if (!records) return [];
	const used = records.forms.reduce((sum, { bytes }) => sum + bytes, 0);
	const forms = records.forms.slice(0, LARGEST).map(({ slug, bytes }) => `${slug} ${share(bytes, formQuota)}`);
	const largest = forms.length === 0 ? '' : `; by form: ${forms.join(', ')}`;
	const found = `${plural(records.stored.size, 'file')}, ${share(used, quota)}${largest}`;
	const ofFullest = records.forms[0]?.bytes ?? 0;
	if (used < quota * NEARLY_FULL && ofFullest < formQuota * NEARLY_FULL) return [{ subject: 'quota', found }];
	const problem = `Nearly full: ${found}. Delete submissions with files, or raise FORMSRV_FILES_QUOTA or FORMSRV_FILES_FORM_SHARE.`;
	return [{ subject: 'quota', found, problem }];
}

async function inspectStore({ files: { place } }: Config, database: Database | undefined): Promise<Finding[]> {
	const subject = 'files';
	const { folder, s3 } = place;
	const found = s3 ? `in the bucket ${[s3.bucket, s3.prefix].filter(Boolean).join('/')}` : `in ${folder}`;
	const store = await openFileStore(place);
	try {
		await store.check();
		const lack = lackOfRoom(store.room());
		const scarce = lack === undefined ? [] : [{ subject, found, problem: `${KINDS.fileRoom.problem} ${lack}` }];
		if (!database) return scarce.length > 0 ? scarce : [{ subject, found }];
		const { missing, changed, unknown, unknownBytes } = await compareFiles(store, () => database.fileRecords());
		const example = ([key = '']: string[]) => (s3 ? key : join(folder, key.slice(0, 2), key));
		const problems: [keys: string[], problem: string][] = [
			[
				missing,
				`Missing: ${plural(missing.length, 'file')} of submissions, such as ${example(missing)}. Bring back from a backup what is ` +
					'missing, or delete the submissions.',
			],
			[
				changed,
				`Of another size than was stored: ${plural(changed.length, 'file')}, such as ${example(changed)}. Bring back from a backup what ` +
					'was stored.',
			],
			[
				unknown,
				`Of no submission: ${plural(unknown.length, 'file')} (${roughSize(unknownBytes)}), such as ${example(unknown)}. Such files came ` +
					'with a newer or another database and are left alone. If that is gone for good, remove them; --json lists them.',
			],
		];
		const wrong = problems
			.filter(([keys]) => keys.length > 0)
			.map(([keys, problem]) => ({ subject, found, problem, keys }));
		if (scarce.length + wrong.length === 0) return [{ subject, found: `as the database has them, ${found}` }];
		return [...scarce, ...wrong];
	} catch (error) {
		return [{ subject, found, problem: (error as Error).message }];
	}
}

async function inspectScanner({ files: { scanner } }: Config): Promise<Finding[]> {
	if (!scanner) return [];
	const subject = 'scanner';
	const found = 'socket' in scanner ? `clamd at ${scanner.socket}` : `clamd at ${scanner.host}:${scanner.port}`;
	try {
		const result = await scanWithClamd(scanner, () => new Blob(['formsrv']).stream(), SCAN_TIMEOUT_MS);
		return [{ subject, found, ...(result.verdict === 'unchecked' && { problem: `${result.reason}.` }) }];
	} catch (error) {
		return [{ subject, found, problem: `${(error as Error).message}.` }];
	}
}

function share(bytes: number, quota: number): string {
	return `${roughSize(bytes)} of ${roughSize(quota)}`;
}
