/**
 * Imports submissions that were received elsewhere: with their times and flags, and with nothing else that happens to one that arrives. Rows
 * are read, checked and stored a few at a time, so that a file may have any size and submissions that arrive do not wait.
 */

import { AppError } from '../../errors.ts';
import { cleanFileName } from '../../files/file-name.ts';
import { presentFile } from '../../files/present-file.ts';
import { whenUnique } from '../../forms/unique-values.ts';
import { checkShape } from '../../http/json-body.ts';
import { decodeId, encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { NEW } from '../../storage/filters.ts';
import { OWNED } from '../../storage/owned.ts';
import type { ImportedPlace, ImportedSubmission, StoredFile } from '../../storage/submission.ts';
import type { FormRow } from '../../storage/tables.ts';
import { pickNames } from '../../text/map-names.ts';
import { parseTimestamp } from '../../text/timestamp.ts';
import { storedOwned } from '../own-words.ts';
import type { SubmittedFile } from '../schema.ts';
import { type ImportedField, MAX_BAD_PERCENT, PROBLEMS_SHOWN, type ReadFields, type ReadRow, toJson } from './rows.ts';
import { type ImportReport, type MissingFiles, OwnRow } from './schema.ts';

/** The most of one transaction. */
const BATCH = { rows: 200, characters: 128 * 1024 };
/** After a transaction, as a multiple of the time that it took: submissions and other writers come between. */
const REST = 1;
/** It may have waited for a moment to be over, which is no work. */
const MAX_REST_MS = 250;
/** The time of an import lies so far back that submissions which arrive, on any server, are later: nothing has to wait for it to be over. */
const SETTLED_MS = 4000;
const MISSING_SHOWN = 1000;
/** Characters that were read, after which memory is collected: the runtime may put that off for tens of MiB. */
const COLLECT_AFTER = 128 * 1024;

/** As other programs write them, besides RFC 3339. */
const ZONE_NAMES = /\s*(?:UTC|GMT|Z)$/;
const SHA256 = /^[0-9a-f]{64}$/i;
/** The longest field and type of a file. */
const LONGEST_TEXT = 1000;
const SHORT_OFFSET = /\s*([+-]\d{2}):?(\d{2})$/;

export interface ImportOptions {
	readFields: ReadFields;
	/** The most bytes of the fields of a submission, as the endpoint takes them. */
	maxBytes: number;
	now: () => number;
}

export interface ImportRequest {
	rows: AsyncIterable<ReadRow>;
	/** Rows without a time get that of the import; otherwise they are bad. */
	isTimeNow?: boolean | undefined;
	/** Stores nothing. */
	isDryRun?: boolean | undefined;
	/** The share of bad rows, in percent, beyond which it ends: they are a wrong file, or a wrong mapping. */
	maxBad?: number;
}

export interface ImportRun extends ImportReport {
	/** It ended at too many bad rows. */
	isStopped: boolean;
}

/** A row that can be stored. */
interface Taken {
	line: number;
	row: ImportedSubmission;
}

/** A submission may be twice as long as it was sent, with what stands beside its fields. */
export const maxLineBytes = (maxBytes: number) => 3 * maxBytes + 64 * 1024;

export type Imports = ReturnType<typeof createImports>;

type Imported = Pick<Storage, 'submissions' | 'events' | 'clock' | 'nextId'>;

export function createImports(
	{ submissions, events, clock, nextId }: Imported,
	{ readFields, maxBytes, now }: ImportOptions,
) {
	let garbage = 0;

	function discard(characters: number): void {
		garbage += characters;
		if (garbage < COLLECT_AFTER) return;
		garbage = 0;
		Bun.gc(true);
	}

	/** @throws AppError with a sentence */
	function momentOf(time: string | undefined, fallback: number | undefined): number {
		if (time === undefined || time === '') {
			if (fallback !== undefined) return fallback;
			throw bad('It has no time.');
		}
		const text = time.trim().replace(ZONE_NAMES, 'Z').replace(SHORT_OFFSET, '$1:$2');
		const millis = Math.floor(parseTimestamp(text)?.millis ?? Number.NaN);
		if (Number.isNaN(millis)) throw bad(`Its time ${quote(time)} is none such as 2026-01-02T03:04:05Z.`);
		if (millis < 0) throw bad(`Its time ${quote(time)} lies before 1970.`);
		if (millis > now()) throw bad(`Its time ${quote(time)} lies ahead of the clock.`);
		if (clock.timeline().idAt(millis) === undefined)
			throw bad(`Its time ${quote(time)} cannot be stored: the clock of this server was set then.`);
		return millis;
	}

	/** The fields as they are stored. @throws AppError with a sentence */
	function contentOf(json: string): Pick<ImportedSubmission, 'data' | 'names' | 'subject' | 'replyTo'> {
		const fields = readFields(json);
		const data = toJson(fields);
		if (fields.length === 0) throw bad('It has no fields.');
		if (data.length > 2 * maxBytes) throw bad(`Its fields have more than ${2 * maxBytes} characters.`);
		return { data, names: fields.map(({ name }) => name) };
	}

	function rowOf(fields: readonly ImportedField[], fallback: number | undefined): ImportedSubmission {
		const texts = new Map(fields.map(({ name, json }) => [name, json]));
		const data = texts.get('data') ?? '{}';
		// Its members are read by themselves; anything else is left to the check.
		if (data.startsWith('{')) texts.set('data', '{}');
		const row: unknown = Object.fromEntries([...texts].map(([name, json]) => [name, JSON.parse(json)]));
		checkShape(OwnRow, row as object);
		const { id, createdAt, ...more } = { ...NEW, ...(row as OwnRow) };
		const { isSpam, isPending, confirmedAt, meta, files = [] } = more;
		const own = pickNames(more, OWNED);
		if (more.damaged) throw bad('It is damaged.');
		if (isSpam && isPending) throw bad('It is spam and pending: one excludes the other.');
		// Visitors may call a field so; an engine without NUL puts U+FFFD in its place, as when a submission arrives.
		const ofFiles = files.flatMap(({ field, name, type }) => [field.replaceAll('\0', ''), name, type]);
		checkTexts([more.spamReason, ...Object.values(own).flat(), ...ofFiles]);
		return {
			...contentOf(data),
			at: momentOf(createdAt, fallback),
			formerId: id === undefined ? undefined : decodeId(id),
			...storedOwned(own),
			isPending,
			confirmedAt: confirmedAtOf({ confirmedAt, isPending }),
			spamReason: isSpam ? (more.spamReason ?? 'marked') : null,
			spamReasons: more.spamReasons?.length ? texts.get('spamReasons') : null,
			meta: meta ? texts.get('meta') : null,
			files: files.map((file) => fileOf(file, nextId())),
		};
	}

	return {
		/** @throws AppError FORM_NOT_FOUND, UNAVAILABLE: what was stored by then stays */
		async run(form: Pick<FormRow, 'id' | 'fields'>, request: ImportRequest): Promise<ImportRun> {
			const { rows, isTimeNow = false, isDryRun = false, maxBad = MAX_BAD_PERCENT } = request;
			const report: ImportRun = { imported: 0, known: 0, bad: 0, isStopped: false, problems: [], missingFiles: [] };
			const fallback = isTimeNow ? now() - SETTLED_MS : undefined;
			let batch: Taken[] = [];
			let characters = 0;

			async function store(isEnd = false): Promise<void> {
				const read = report.imported + report.known + batch.length + report.bad;
				// A few rows tell nothing yet.
				const isTold = isEnd || read >= BATCH.rows;
				report.isStopped = isTold && 100 * report.bad > maxBad * read;
				if (report.isStopped || batch.length === 0) return;
				if (isDryRun) report.imported += batch.length;
				else await storeBatch();
				batch = [];
				discard(characters);
				characters = 0;
			}

			async function storeBatch(): Promise<void> {
				const started = performance.now();
				const rowsOf = batch.map(({ row }) => row);
				// They come to hold their unique values behind the import, whatever ends it.
				const places = await submissions.import(form.id, rowsOf, (tx) => whenUnique(tx, form));
				const isNew = places.filter((place) => place.isNew).length;
				report.imported += isNew;
				report.known += places.length - isNew;
				const missing = await findMissing(
					submissions,
					batch.map((one, i) => ({ ...one, id: (places[i] as ImportedPlace).id })),
				);
				report.missingFiles.push(...missing.slice(0, MISSING_SHOWN - report.missingFiles.length));
				await Bun.sleep(Math.min(MAX_REST_MS, (performance.now() - started) * REST));
			}

			function take(read: ReadRow): void {
				try {
					if ('problem' in read) throw bad(read.problem);
					const row = rowOf(read.fields, fallback);
					batch.push({ line: read.line, row });
					characters += row.data.length;
				} catch (error) {
					if (!(error instanceof AppError)) throw error;
					report.bad++;
					if (report.problems.length < PROBLEMS_SHOWN)
						report.problems.push({ line: read.line, problem: error.message });
				}
			}

			try {
				let unseen = 0;
				for await (const row of rows) {
					take(row);
					if (++unseen < BATCH.rows && characters < BATCH.characters) continue;
					unseen = 0;
					await store();
					if (report.isStopped) break;
				}
				if (!report.isStopped) await store(true);
			} finally {
				if (report.imported > 0 && !isDryRun) events.publish({ type: 'sweep' });
			}
			return report;
		},
	};
}

/** Those among submissions with files of which bytes are missing. */
async function findMissing(
	submissions: Imported['submissions'],
	stored: readonly (Taken & { id: number })[],
): Promise<MissingFiles[]> {
	const withFiles = stored.filter(({ row }) => (row.files?.length ?? 0) > 0);
	if (withFiles.length === 0) return [];
	const filesOf = await submissions.files(withFiles.map(({ id }) => id));
	const told = new Set<number>();
	return withFiles.flatMap(({ line, id }) => {
		if (told.has(id)) return [];
		told.add(id);
		const files = filesOf.get(id) ?? [];
		const isMissing = files.some(({ key }) => key === null);
		return isMissing ? [{ line, submissionId: encodeId(id), files: files.map(presentFile) }] : [];
	});
}

/** @throws AppError with a sentence */
function confirmedAtOf({ confirmedAt, isPending }: Pick<OwnRow, 'confirmedAt' | 'isPending'>): number | null {
	if (!confirmedAt) return null;
	if (isPending) throw bad('It is confirmed and pending: one excludes the other.');
	const { millis } = parseTimestamp(confirmedAt) ?? {};
	if (millis === undefined) throw bad(`Its confirmedAt ${quote(confirmedAt)} is none such as 2026-01-02T03:04:05Z.`);
	return Math.floor(millis);
}

/** @throws AppError with a sentence */
function fileOf({ field, name, type, size, sha256 }: SubmittedFile, id: number): StoredFile {
	if (!Number.isSafeInteger(size) || size < 0) throw bad(`The size of its file ${quote(name)} is none.`);
	if (!SHA256.test(sha256)) throw bad(`The SHA-256 of its file ${quote(name)} is none.`);
	if (field.length > LONGEST_TEXT || type.length > LONGEST_TEXT)
		throw bad(`Its file ${quote(name)} has a field or type that is too long.`);
	const facts = {
		field,
		name: cleanFileName(name),
		type,
		claimedType: type,
		bytes: size,
		sha256: sha256.toLowerCase(),
	};
	return { id, ...facts, key: null, scan: null };
}

/** Texts that become columns; within JSON they stay as they were escaped. @throws AppError with a sentence */
function checkTexts(values: readonly unknown[]): void {
	if (values.every((value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')))) return;
	throw bad('A text beside its fields holds a character that cannot be stored.');
}

function bad(message: string): AppError {
	return new AppError('VALIDATION_ERROR', message);
}

function quote(text: string): string {
	return JSON.stringify(text.slice(0, 40));
}
