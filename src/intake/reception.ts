/** Receives the files of one submission as they arrive: checked, hashed and written piece by piece. */

import { formatSize, roughSize } from '../byte-sizes.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { FileRules } from '../file-rules.ts';
import { cleanFileName } from '../files/file-name.ts';
import { detectType, type FileType, HEAD_BYTES, isAllowedType } from '../files/file-type.ts';
import type { FileQuota, QuotaHold } from '../files/quota.ts';
import type { TrackedStore, TrackedWriter } from '../files/tracked-store.ts';
import type { EndTurn, Turns } from '../http/turns.ts';
import { FormFull, FormGone, Unavailable, UniqueViolation } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredFile } from '../storage/submission.ts';
import type { FormRow, Scan } from '../storage/tables.ts';
import { quoteName } from './field-limits.ts';
import type { FileSink, SentFile } from './multipart-reader.ts';

export interface ReceptionOptions {
	storage: Pick<Storage, 'nextId' | 'findings'>;
	store: Pick<TrackedStore, 'create'>;
	quota: FileQuota;
	/** Bounds how many submissions with files arrive at one time. */
	turns: Turns;
	/** Of a new file: whether it is still to be scanned. */
	scan: Scan | null;
}

export interface Sender {
	form: FormRow;
	network: string;
}

export interface Reception extends FileSink {
	/** Whether any file came. */
	hasFiles(): boolean;
	/** The names of their fields. */
	fields(): ReadonlySet<string>;
	/** Removes the files of these fields again. */
	drop(fields: ReadonlySet<string>): Promise<void>;
	/** What identifies the files, for a hash of the submission. */
	identity(): unknown[];
	/**
	 * Brings the files to disk, or only their names and sizes; may be called again.
	 * @returns the rows to store
	 */
	finish(keepsBytes: boolean): Promise<StoredFile[]>;
	/** Calls what stores the rows. The bytes stay unless it is certain that nothing was stored; without rows, they are swept later. */
	keepWith<T>(store: () => Promise<T>): Promise<T>;
	/** Removes what is not kept. Call this exactly once. */
	close(): Promise<void>;
}

/** A file of which bytes have come. */
interface Arrival extends Omit<StoredFile, 'id' | 'key' | 'scan' | 'type' | 'sha256'> {
	writer: TrackedWriter;
	hasher: Bun.CryptoHasher;
	head: Uint8Array;
	found?: FileType;
	sha256?: string;
}

const MAX_CLAIMED_TYPE = 200;
const NO_BYTES = new Uint8Array();

export function createReceptions({ storage, store, quota, turns, scan }: ReceptionOptions) {
	return ({ form, network }: Sender): Reception => {
		const rules = form.files;
		let arrivals: Arrival[] = [];
		let hold: QuotaHold | undefined;
		let endTurn: EndTurn | undefined;
		let finishing: Promise<unknown> | undefined;
		let isKept = false;

		async function open(): Promise<void> {
			endTurn = await turns.take(network);
			// No bytes are taken for a submission that cannot be stored.
			const rejection = storage.findings.rejection('submission');
			if (rejection) throw rejection;
			hold = quota.open(form.id);
		}

		async function begin({ field, filename, claimedType }: SentFile, { maxFiles }: FileRules): Promise<string> {
			const name = cleanFileName(filename);
			const file = { field, name, claimedType: claimedType.slice(0, MAX_CLAIMED_TYPE) };
			if (arrivals.length === maxFiles) {
				throw fileError(
					'TOO_MANY_FILES',
					field,
					`The file ${named(file)} was not taken: this form takes at most ${maxFiles} in one submission.`,
				);
			}
			if (!hold) await open();
			const writer = store.create();
			arrivals.push({ ...file, writer, bytes: 0, head: NO_BYTES, hasher: new Bun.CryptoHasher('sha256') });
			return name;
		}

		async function recognise(file: Arrival, { types }: FileRules): Promise<void> {
			file.found = await detectType(file.head);
			file.head = NO_BYTES;
			if (await isAllowedType(types, { name: file.name, found: file.found })) return;
			throw fileError(
				'FILE_TYPE_NOT_ALLOWED',
				file.field,
				`The file ${named(file)} was not taken: by its content it is ${file.found.type}, and this form takes ${types.join(', ')}.`,
			);
		}

		function writeTo({ hasher, writer }: Arrival, bytes: Uint8Array): void | Promise<void> {
			hasher.update(bytes);
			return writer.write(bytes);
		}

		async function writeChecked(file: Arrival, bytes: Uint8Array, hasRoom: boolean): Promise<void> {
			if (!hasRoom) {
				throw fileError(
					'FILES_FULL',
					file.field,
					`The file ${named(file)} was not taken: there is no room for it; the files of a form may take ${roughSize(quota.formQuota)}, if those of others leave as much.`,
				);
			}
			if (!file.found) {
				file.head = Buffer.concat([file.head, bytes.subarray(0, HEAD_BYTES - file.head.length)]);
				if (file.head.length === HEAD_BYTES) await recognise(file, rules as FileRules);
			}
			await writeTo(file, bytes);
		}

		async function discard(files = arrivals): Promise<void> {
			// What cannot be removed now is swept later.
			await Promise.allSettled(files.map(({ writer }) => writer.abort()));
		}

		return {
			begin(file) {
				if (rules) return begin(file, rules);
				throw filesRejected(file.field);
			},
			write(bytes) {
				const file = arrivals.at(-1) as Arrival;
				const { maxBytes } = rules as FileRules;
				file.bytes += bytes.length;
				if (file.bytes > maxBytes) {
					throw fileError(
						'FILE_TOO_LARGE',
						file.field,
						`The file ${named(file)} was not taken: a file may have at most ${formatSize(maxBytes)}.`,
					);
				}
				const hasRoom = (hold as QuotaHold).take(bytes.length);
				// Nothing is waited for that does not have to be: a large file comes in hundreds of pieces.
				if (hasRoom === true && file.found) return writeTo(file, bytes);
				return Promise.resolve(hasRoom).then((hasRoomNow) => writeChecked(file, bytes, hasRoomNow));
			},
			async end() {
				const file = arrivals.at(-1) as Arrival;
				if (!file.found) await recognise(file, rules as FileRules);
				file.sha256 = file.hasher.digest('hex');
			},
			hasFiles: () => arrivals.length > 0,
			fields: () => new Set(arrivals.map(({ field }) => field)),
			async drop(fields) {
				const dropped = arrivals.filter(({ field }) => fields.has(field));
				arrivals = arrivals.filter(({ field }) => !fields.has(field));
				await discard(dropped);
				for (const { writer } of dropped) writer.release();
			},
			identity: () => arrivals.map(({ field, name, sha256 }) => [field, name, sha256]),
			async finish(keepsBytes) {
				finishing ??= keepsBytes ? Promise.all(arrivals.map(({ writer }) => writer.finish())) : discard();
				await finishing;
				return arrivals.map(({ field, name, claimedType, bytes, writer, found, sha256 }) => ({
					id: storage.nextId(),
					field,
					name,
					type: (found as FileType).type,
					claimedType,
					bytes,
					sha256: sha256 as string,
					key: keepsBytes ? writer.key : null,
					scan: keepsBytes ? scan : null,
				}));
			},
			async keepWith(store) {
				try {
					const stored = await store();
					isKept = true;
					return stored;
				} catch (error) {
					isKept = !saysNothingStored(error);
					throw error;
				}
			},
			async close() {
				if (!isKept) await discard();
				for (const { writer } of arrivals) writer.release();
				hold?.release();
				endTurn?.();
			},
		};
	};
}

function saysNothingStored(error: unknown): boolean {
	return [Unavailable, UniqueViolation, FormGone, FormFull].some((kind) => error instanceof kind);
}

export function filesRejected(field: string): AppError {
	return fileError(
		'FILES_NOT_SUPPORTED',
		field,
		`This form takes no files; the field ${quoteName(field)} holds one. Leave the file out and send the rest.`,
	);
}

function named({ field, name }: { field: string; name: string }): string {
	return `${quoteName(name)} in the field ${quoteName(field)}`;
}

function fileError(code: ErrorCode, field: string, message: string): AppError {
	return new AppError(code, message, { fields: [{ field, code, message }] });
}
