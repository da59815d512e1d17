/** Has the files that are not checked yet scanned for viruses, in the background of a running server. */

import { and, eq, gt, isNotNull } from 'drizzle-orm';
import type { ScannerAddress } from '../config/value-types.ts';
import type { Log } from '../log/log.ts';
import type { Storage } from '../storage/contract.ts';
import { files, type ScanVerdict } from '../storage/tables.ts';
import { repeat } from '../tasks/repeat.ts';
import { pingClamd, ScannerUnavailable, scanWithClamd } from './clamd.ts';
import { type FileStore, MissingFile } from './file-store.ts';
import { readWhole } from './whole-file.ts';

/** Scanned at one time: clamd takes several, and each holds a chunk in memory. */
const AT_ONCE = 2;
const CHUNK = 20;
const LOOK_EVERY_MS = 1000;
/** When there is no scanner. */
const RETRY_AFTER_MS = 15_000;
/** When this one file cannot be scanned: the others do not wait for it. */
const POSTPONE_MS = 10 * 60_000;

interface ScanningOptions {
	address: ScannerAddress;
	store: Pick<FileStore, 'read'>;
	log: Log;
	lookEveryMs?: number;
	retryAfterMs?: number;
	/** For one file. */
	timeoutMs?: number;
}

type Unchecked = Pick<typeof files.$inferSelect, 'id' | 'formId' | 'key' | 'bytes' | 'sha256'>;

/** @returns how to stop; it resolves when the files in flight are scanned */
export function startScanning(
	storage: Storage,
	{ address, store, log, lookEveryMs = LOOK_EVERY_MS, retryAfterMs = RETRY_AFTER_MS, timeoutMs }: ScanningOptions,
): () => Promise<void> {
	const { db, findings } = storage;
	/** When files that could not be scanned are tried again, by their ids. */
	const postponed = new Map<number, number>();
	let isStopping = false;

	const unchecked = (after: number): Promise<Unchecked[]> =>
		db
			.select({ id: files.id, formId: files.formId, key: files.key, bytes: files.bytes, sha256: files.sha256 })
			.from(files)
			.where(and(eq(files.scan, 'unchecked'), isNotNull(files.key), gt(files.id, after)))
			.orderBy(files.id)
			.limit(CHUNK);

	async function scan({ id, formId, ...file }: Unchecked): Promise<void> {
		if ((postponed.get(id) ?? 0) > performance.now()) return;
		postponed.delete(id);
		try {
			const wanted = { ...file, key: file.key as string };
			const result = await scanWithClamd(address, () => readWhole(store, wanted), timeoutMs);
			if (result.verdict === 'infected') log.warn('A virus was found in a file.', { file: id, virus: result.virus });
			if (result.verdict !== 'unchecked') return await note(id, formId, result.verdict);
			log.warn('A file cannot be scanned.', { file: id, reason: result.reason });
			// Without the scanner it is tried soon, but after the others: it may be what ends or stops the scanner.
			postponed.set(id, performance.now() + 2 * retryAfterMs);
			await pingClamd(address);
		} catch (error) {
			if (error instanceof ScannerUnavailable) throw error;
			// One that was removed meanwhile is no row any more; doctor names one that is lost.
			if (!(error instanceof MissingFile)) log.warn('A file cannot be read for the virus scanner.', { cause: error });
		}
		postponed.set(id, performance.now() + POSTPONE_MS);
	}

	async function note(id: number, formId: number, verdict: ScanVerdict): Promise<void> {
		await storage.batch((tx) => [tx.update(files).set({ scan: verdict }).where(eq(files.id, id))]);
		storage.events.publish({ type: 'change', formId });
	}

	async function scanAll(): Promise<void> {
		for (let after = 0; !isStopping; ) {
			const found = await unchecked(after);
			for (let at = 0; at < found.length && !isStopping; at += AT_ONCE) {
				await Promise.all(found.slice(at, at + AT_ONCE).map(scan));
			}
			after = found.at(-1)?.id ?? after;
			if (found.length < CHUNK) return;
		}
	}

	async function run(): Promise<number> {
		try {
			if (findings.has('scanner')) await pingClamd(address);
			findings.clear('scanner');
			await scanAll();
			return lookEveryMs;
		} catch (error) {
			if (error instanceof ScannerUnavailable) findings.set('scanner', error.message);
			else log.error('Scanning files failed; it is tried again.', { cause: error });
			return retryAfterMs;
		}
	}

	const runs = repeat(run, lookEveryMs);
	return () => {
		isStopping = true;
		return runs.stop();
	};
}
