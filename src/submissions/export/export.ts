/** Exports of any size: produced in chunks as fast as the client reads, in bounded memory. */

import { invalidField } from '../../errors.ts';
import { oneOf, single, truth } from '../../http/query-parameters.ts';
import { encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { PLACES, placeOfFilter } from '../../storage/filters.ts';
import type { FieldNames, Selection } from '../../storage/submission.ts';
import type { FormRow } from '../../storage/tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { checked } from '../../tasks/checked-chunks.ts';
import type { OneAtATime } from '../../tasks/one-at-a-time.ts';
import { isTimeZone } from '../../text/time-zone.ts';
import { type OrderedCriteria, parseOrderedCriteria, selectionOf } from '../list-query.ts';
import type { Chunk, ChunkRequest } from './chunk.ts';
import { allColumns, chooseColumns, type KnownFields, splitColumns } from './columns.ts';
import { FORMULAS, type Formulas } from './csv.ts';
import { exportHead, exportTail, FORMATS, type Format, type Layout } from './formats.ts';

const SWITCH = ['0', '1'] as const;

export interface ExportQuery extends OrderedCriteria {
	format: Format;
	bom: boolean;
	formulas: Formulas;
	/** True if columns are called as people call them. */
	labels: boolean;
	timeZone: string;
	/** Names of columns; `null`: all. */
	columns: readonly string[] | null;
}

export interface Export {
	fileName: string;
	format: Format;
	/** Number of submissions in all, and sent so far. */
	total: number;
	done: number;
	/** The bytes, in chunks. */
	chunks: AsyncGenerator<Uint8Array>;
	/** The caller's `end`, to be called when the chunks are read or given up. */
	end: () => void;
}

interface ExportOptions {
	form: FormRow;
	/** True if the exporting key sees nothing of other forms. */
	isFormLevel: boolean;
	query: ExportQuery;
	now: () => number;
	/** For chunks that wait for the client. */
	budget: Pick<ByteBudget, 'take'>;
	/** A chunk's size is known only once it is read, so only one export at a time holds a chunk without budget. */
	oneAtATime: OneAtATime;
	end: () => void;
}

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseExportQuery(params: URLSearchParams): ExportQuery {
	const columns = single(params, 'columns');
	return {
		format: oneOf(params, 'format', { values: FORMATS, fallback: 'csv' }),
		bom: oneOf(params, 'bom', { values: SWITCH, fallback: '0' }) === '1',
		columns: columns === undefined ? null : splitColumns(columns),
		labels: truth(params, 'labels') ?? false,
		timeZone: parseTimeZone(single(params, 'timeZone')),
		formulas: oneOf(params, 'formulas', { values: FORMULAS, fallback: 'guard' }),
		...parseOrderedCriteria(params),
	};
}

function parseTimeZone(name = 'UTC'): string {
	if (isTimeZone(name)) return name;
	throw invalidField(
		'timeZone',
		'INVALID_TIME_ZONE',
		'timeZone must be the name of a time zone, such as Europe/Berlin.',
	);
}

async function knownFields(
	submissions: Storage['submissions'],
	form: FormRow,
	{ filter, labels }: ExportQuery,
): Promise<KnownFields> {
	const all = await Promise.all(PLACES.map((place) => submissions.names(form.id, place)));
	const own = all[placeOfFilter(filter)] as FieldNames;
	const names = new Set([...all.flatMap((list) => list.names), ...(form.fields ?? []).map(({ name }) => name)]);
	const isUnsure = all.some(({ isPartial }) => isPartial);
	return {
		listed: own.names,
		isPartial: own.isPartial,
		hasFiles: await submissions.hasFiles(form.id),
		hasConfirmed: form.confirm !== null,
		isKnown: (name) => isUnsure || names.has(name),
		rules: form.fields,
		hasLabels: labels,
	};
}

/**
 * Starts an export of the submissions that exist now: later ones are not part of it, removed ones drop out, and none is
 * skipped or repeated.
 */
export async function openExport(
	{ submissions, clock, findForm }: Pick<Storage, 'submissions' | 'clock' | 'findForm'>,
	{ form, isFormLevel, query, now, budget, oneAtATime, end }: ExportOptions,
): Promise<Export> {
	const { order, format, bom, formulas, timeZone, columns } = query;
	// Throws here if the database is unavailable: later the response has begun.
	submissions.prepareScan();
	const selection = selectionOf(query, form.id, clock);
	const known = await knownFields(submissions, form, query);
	const layout: Layout = {
		...{ format, bom, formulas, timeZone, isFormLevel, listed: known.listed },
		columns: columns === null ? allColumns(known) : chooseColumns(columns, known),
		isWhole: columns === null,
		hasAllFields: columns?.includes('data') ?? true,
	};
	const total = await submissions.count(selection);
	const at = new Date(now());
	const opened: Export = {
		fileName: `${form.slug}-${at.toISOString().slice(0, 10)}.${format}`,
		format,
		total,
		done: 0,
		// The rows of a form that is deleted go piece by piece: the rest would look like the whole.
		chunks: checked(format === 'xlsx' ? workbook() : text(), () => findForm(encodeId(form.id))),
		end,
	};

	async function* workbook(): Export['chunks'] {
		// With its compression late: few ask for it.
		const { writeWorkbook } = await import('./workbook.ts');
		yield* writeWorkbook(rows(selection), { titles: layout.columns.map(({ title }) => title), at });
	}

	async function* text(): Export['chunks'] {
		yield new TextEncoder().encode(exportHead(layout));
		for await (const { bytes } of rows(selection)) yield bytes;
		yield new TextEncoder().encode(exportTail(layout));
	}

	async function* rows(whole: Selection): AsyncGenerator<Chunk> {
		let rest: Selection | undefined = whole;
		while (rest) {
			const { steps } = clock.timeline();
			const request: ChunkRequest = { selection: rest, order, layout, steps, isFirst: opened.done === 0 };
			const { chunk, release } = await oneAtATime(async () => {
				const read = await submissions.scan<ChunkRequest, Chunk>('readChunk', request);
				return { chunk: read, release: await budget.take(read.bytes.length) };
			});
			opened.done += chunk.count;
			rest = chunk.rest;
			using _held = release;
			yield chunk;
		}
	}

	return opened;
}
