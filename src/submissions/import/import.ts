/**
 * Imports submissions that were received elsewhere: with their times and flags, and with nothing else that happens to one that arrives. Rows
 * are read, checked and stored a few at a time, so that a file may have any size and submissions that arrive do not wait.
 */

import { AppError } from '../../errors.ts';
import { whenUnique } from '../../forms/unique-values.ts';
import { checkShape } from '../../http/json-body.ts';
import { decodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import type { ImportedSubmission } from '../../storage/submission.ts';
import type { FormRow } from '../../storage/tables.ts';
import { parseTimestamp } from '../../text/timestamp.ts';
import type { Field, ReadFields, ReadRow } from './rows.ts';
import { type ImportReport, OwnRow } from './schema.ts';
import type { MappedRow } from './sources.ts';

/** What is stored in one transaction. */
const BATCH = { rows: 200, characters: 128 * 1024 };
/** After a transaction, as a multiple of the time that it took: submissions and other writers come between. */
const REST = 1;
/** More bad rows than this are a wrong file, or a wrong mapping. */
const MAX_BAD_SHARE = 0.05;
const PROBLEMS_SHOWN = 100;

/** As other programs write them, besides RFC 3339. */
const ZONE_NAMES = /\s*(?:UTC|GMT|Z)$/;
const SHORT_OFFSET = /\s*([+-]\d{2}):?(\d{2})$/;

export interface ImportOptions {
	readFields: ReadFields;
	/** The most bytes of the fields of a submission, as the endpoint takes them. */
	maxBytes: number;
	now?: () => number;
}

export interface ImportRequest {
	rows: AsyncIterable<ReadRow>;
	/** Takes a row apart that is not of our own export. */
	map?: (fields: readonly Field[]) => MappedRow;
	/** Rows without a time get that of the import; otherwise they are bad. */
	isTimeNow?: boolean;
	/** Stores nothing. */
	isDryRun?: boolean;
	/** Called after each transaction. */
	onProgress?: (report: Readonly<ImportReport>) => void;
}

/** A submission may be twice as long as it was sent, with what stands beside its fields. */
export const maxLineBytes = (maxBytes: number) => 3 * maxBytes + 64 * 1024;

export type Imports = ReturnType<typeof createImports>;

type Imported = Pick<Storage, 'submissions' | 'batch' | 'events' | 'clock' | 'nextId'>;

export function createImports(
	{ submissions, batch: write, events, clock, nextId }: Imported,
	{ readFields, maxBytes, now = Date.now }: ImportOptions,
) {
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
		const data = `{${fields.map(({ name, json: value }) => `${JSON.stringify(name)}:${value}`).join()}}`;
		if (fields.length === 0) throw bad('It has no fields.');
		if (data.length > 2 * maxBytes) throw bad(`Its fields have more than ${2 * maxBytes} characters.`);
		return { data, names: fields.map(({ name }) => name) };
	}

	/** A line of our own export. */
	function ownRow(fields: readonly Field[], fallback: number | undefined): ImportedSubmission {
		const texts = new Map(fields.map(({ name, json }) => [name, json]));
		const data = texts.get('data') ?? '{}';
		texts.set('data', '{}');
		const row: unknown = Object.fromEntries([...texts].map(([name, json]) => [name, JSON.parse(json)]));
		checkShape(OwnRow, row as object);
		const { id, createdAt, isRead = false, isStarred = false, isSpam = false, ...more } = row as OwnRow;
		if (more.damaged) throw bad('It is damaged.');
		const hasReasons = more.spamReasons && more.spamReasons.length > 0;
		return {
			...contentOf(data),
			at: momentOf(createdAt, fallback),
			formerId: id === undefined ? undefined : decodeId(id),
			isRead,
			isStarred,
			isSpam,
			spamReason: isSpam ? (more.spamReason ?? 'marked') : null,
			spamReasons: hasReasons ? texts.get('spamReasons') : null,
			meta: more.meta ? texts.get('meta') : null,
			files: (more.files ?? []).map(({ field, name, type, size, sha256 }) => ({
				id: nextId(),
				...{ field, name, type, claimedType: type, bytes: size, sha256, key: null, scan: null },
			})),
		};
	}

	function otherRow({ fields, time, isSpam }: MappedRow, fallback: number | undefined): ImportedSubmission {
		const nested = fields.find(({ name, json }) => name === 'data' && json.startsWith('{'));
		const json = nested?.json ?? `{${fields.map((one) => `${JSON.stringify(one.name)}:${one.json}`).join()}}`;
		return {
			...contentOf(json),
			at: momentOf(time, fallback),
			...{ isRead: true, isStarred: false, isSpam, spamReason: isSpam ? 'marked' : null },
		};
	}

	/** What was imported comes to hold its unique values behind it, whatever ends the import. */
	async function noteValues(form: Pick<FormRow, 'id' | 'fields'>): Promise<void> {
		await write((tx) => whenUnique(tx, form), null);
		events.publish({ type: 'sweep' });
	}

	return {
		/** @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR if it is no such file, UNAVAILABLE: what was stored by then stays */
		async run(form: Pick<FormRow, 'id' | 'fields'>, request: ImportRequest): Promise<ImportReport> {
			const { rows, map, isTimeNow = false, isDryRun = false, onProgress = () => {} } = request;
			const report: ImportReport = { imported: 0, known: 0, bad: 0, isStopped: false, problems: [] };
			const fallback = isTimeNow ? now() : undefined;
			let batch: ImportedSubmission[] = [];
			let characters = 0;

			async function store(): Promise<void> {
				const read = report.imported + report.known + batch.length + report.bad;
				report.isStopped = report.bad > MAX_BAD_SHARE * read;
				if (report.isStopped || batch.length === 0) return;
				const started = performance.now();
				const ids = isDryRun ? batch.map(() => 0) : await submissions.import(form.id, batch);
				const known = ids.filter((id) => id === undefined).length;
				report.known += known;
				report.imported += ids.length - known;
				batch = [];
				characters = 0;
				onProgress(report);
				if (!isDryRun) await Bun.sleep((performance.now() - started) * REST);
			}

			function take(row: ReadRow): void {
				try {
					if ('problem' in row) throw bad(row.problem);
					const made = map && !isOwn(row.fields) ? otherRow(map(row.fields), fallback) : ownRow(row.fields, fallback);
					batch.push(made);
					characters += made.data.length;
				} catch (error) {
					if (!(error instanceof AppError)) throw error;
					report.bad++;
					if (report.problems.length < PROBLEMS_SHOWN) report.problems.push({ line: row.line, problem: error.message });
				}
			}

			if (!isDryRun) await noteValues(form);
			for await (const row of rows) {
				take(row);
				if (batch.length + (report.bad % BATCH.rows) < BATCH.rows && characters < BATCH.characters) continue;
				await store();
				if (report.isStopped) break;
			}
			if (!report.isStopped) await store();
			if (report.imported > 0 && !isDryRun) await noteValues(form);
			return report;
		},
	};
}

/** Returns whether it is a line of our own export. */
function isOwn(fields: readonly Field[]): boolean {
	const has = (name: string, begin: string) => fields.some((one) => one.name === name && one.json.startsWith(begin));
	return has('data', '{') && has('createdAt', '"');
}

function bad(message: string): AppError {
	return new AppError('VALIDATION_ERROR', message);
}

function quote(text: string): string {
	return JSON.stringify(text.slice(0, 40));
}
