/** Receives the files of one submission as they arrive: checked, hashed and written piece by piece. */

import { cleanFileName } from '../../files/file-name.ts';
import { detectType, type FileType, HEAD_BYTES, isAllowedType } from '../../files/file-type.ts';
import type { FileQuota, QuotaHold } from '../../files/quota.ts';
import type { TrackedStore, TrackedWriter } from '../../files/tracked-store.ts';
import type { FileRules } from '../../form-values/file-rules.ts';
import type { ConcurrencyLimit, EndTurn } from '../../http/concurrency-limit.ts';
import type { Storage } from '../../storage/contract.ts';
import { FormFull, FormGone, Unavailable, UniqueViolation, ValueTaken } from '../../storage/errors.ts';
import { roomOf } from '../../storage/file-room.ts';
import type { StoredFile } from '../../storage/submission.ts';
import type { FormRow, ScanVerdict } from '../../storage/tables.ts';
import type { FileSink, SentFile } from './multipart-reader.ts';
import {
	type DropError,
	filesFull,
	filesRejected,
	fileTooLarge,
	isDroppable,
	type RefusedFile,
	tooManyFiles,
	typeNotAllowed,
} from './refused-files.ts';

export type Uploads = ReturnType<typeof createUploads>;

interface UploadsOptions {
	storage: Pick<Storage, 'nextId' | 'findings'>;
	store: Pick<TrackedStore, 'create'>;
	quota: FileQuota;
	/** Bounds how many submissions with files arrive at one time. */
	turns: ConcurrencyLimit;
	/** State of a new file in virus scanning; `null` if it is not scanned. */
	scan: ScanVerdict | null;
}

export interface Sender {
	form: FormRow;
	network: string;
}

export interface Upload extends FileSink {
	/** Returns whether any file came. */
	hasFiles(): boolean;
	/** The files that the submission does without; there may be more after `finish`. */
	refused(): readonly RefusedFile[];
	/** Returns fields and names of the other files. */
	named(): readonly { field: string; name: string }[];
	/** The names of their fields. */
	fields(): ReadonlySet<string>;
	/** Removes the files of these fields again. */
	drop(fields: ReadonlySet<string>): Promise<void>;
	/** Returns values that identify the files, rejected ones included, for a hash of the submission. */
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
	/** Absent if it was rejected at once, as is the hold. */
	writer?: TrackedWriter;
	hold?: QuotaHold;
	hasher: Bun.CryptoHasher;
	head: Uint8Array;
	found?: FileType;
	sha256?: string;
	/** The reason why it is left out: nothing of it is kept, and the rest is only counted and hashed. */
	error?: DropError;
}

/** One that may yet be kept. */
interface Kept extends Arrival {
	writer: TrackedWriter;
	hold: QuotaHold;
}

const MAX_CLAIMED_TYPE = 200;
const NO_BYTES = new Uint8Array();

export function createUploads({ storage, store, quota, turns, scan }: UploadsOptions) {
	return ({ form, network }: Sender): Upload => {
		const rules = form.files;
		let arrivals: Arrival[] = [];
		let endTurn: EndTurn | undefined;
		let finishing: Promise<unknown> | undefined;
		let isKept = false;
		const kept = () => arrivals.filter((file): file is Kept => !file.error);

		async function open(): Promise<void> {
			endTurn = await turns.take(network);
			// No bytes are taken for a submission that cannot be stored.
			const rejection = storage.findings.rejection('submission');
			if (rejection) throw rejection;
		}

		async function begin({ field, filename, claimedType }: SentFile, { maxFiles }: FileRules): Promise<string> {
			const name = cleanFileName(filename);
			const hasher = new Bun.CryptoHasher('sha256');
			const claimed = claimedType.slice(0, MAX_CLAIMED_TYPE);
			const file: Arrival = { field, name, claimedType: claimed, bytes: 0, head: NO_BYTES, hasher };
			const isOneTooMany = kept().length === maxFiles;
			arrivals.push(file);
			if (isOneTooMany) await leaveOut(file, tooManyFiles(file, rules as FileRules));
			else await admit(file);
			return name;
		}

		async function admit(file: Arrival): Promise<void> {
			if (!endTurn) await open();
			file.hold = quota.open(form.id);
			if (!(await file.hold.take(roomOf(0)))) return leaveOut(file, filesFull(file));
			try {
				file.writer = store.create();
			} catch (error) {
				await leaveOut(file, error);
			}
		}

		/** @throws the error, unless the form goes on without the file */
		async function leaveOut(file: Arrival, error: unknown): Promise<void> {
			if (!isDroppable(error, file, form)) throw error;
			file.error = error;
			file.head = NO_BYTES;
			await discard([file]);
			release(file);
		}

		async function recognise(file: Arrival): Promise<void> {
			const { types } = rules as FileRules;
			file.found = await detectType(file.head);
			file.head = NO_BYTES;
			if (await isAllowedType(types, { name: file.name, found: file.found })) return;
			await leaveOut(file, typeNotAllowed(file, rules as FileRules));
		}

		async function addToHead(file: Arrival, bytes: Uint8Array): Promise<void> {
			file.head = Buffer.concat([file.head, bytes.subarray(0, HEAD_BYTES - file.head.length)]);
			if (file.head.length === HEAD_BYTES) await recognise(file);
		}

		async function writeTo(file: Kept, bytes: Uint8Array): Promise<void> {
			try {
				await file.writer.write(bytes);
			} catch (error) {
				await leaveOut(file, error);
			}
		}

		async function discard(files: readonly Arrival[] = kept()): Promise<void> {
			// A file that cannot be removed now is swept later.
			await Promise.allSettled(files.map(({ writer }) => writer?.abort()));
		}

		return {
			begin(file) {
				if (rules) return begin(file, rules);
				throw filesRejected(file.field);
			},
			async write(bytes) {
				const file = arrivals.at(-1) as Kept;
				file.bytes += bytes.length;
				file.hasher.update(bytes);
				if (file.error) return;
				if (file.bytes > (rules as FileRules).maxBytes) return leaveOut(file, fileTooLarge(file, rules as FileRules));
				const more = roomOf(file.bytes) - roomOf(file.bytes - bytes.length);
				if (more > 0 && !(await file.hold.take(more))) return leaveOut(file, filesFull(file));
				if (!file.found) await addToHead(file, bytes);
				if (!file.error) await writeTo(file, bytes);
			},
			async end() {
				const file = arrivals.at(-1) as Arrival;
				if (!file.error && !file.found) await recognise(file);
				file.sha256 = file.hasher.digest('hex');
			},
			hasFiles: () => arrivals.length > 0,
			refused: () => arrivals.filter((file): file is Arrival & RefusedFile => file.error !== undefined),
			named: kept,
			fields: () => new Set(kept().map(({ field }) => field)),
			async drop(fields) {
				const dropped = kept().filter(({ field }) => fields.has(field));
				arrivals = arrivals.filter((file) => !dropped.includes(file as Kept));
				await discard(dropped);
				for (const file of dropped) release(file);
			},
			identity: () => arrivals.map(({ field, name, sha256 }) => [field, name, sha256]),
			async finish(keepsBytes) {
				finishing ??= keepsBytes
					? Promise.all(kept().map((file) => file.writer.finish().catch((error) => leaveOut(file, error))))
					: discard();
				await finishing;
				return kept().map(({ field, name, claimedType, bytes, writer, found, sha256 }) => ({
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
				for (const file of arrivals) release(file);
				endTurn?.();
			},
		};
	};
}

/** May be called again. */
function release({ writer, hold }: Arrival): void {
	writer?.release();
	hold?.release();
}

function saysNothingStored(error: unknown): boolean {
	return [Unavailable, UniqueViolation, ValueTaken, FormGone, FormFull].some((kind) => error instanceof kind);
}
