/** Exports of any size: made piece by piece as fast as they are taken, so that neither memory nor other requests notice. */

import type { ByteBudget } from '../../byte-budget.ts';
import type { EndTurn } from '../../http/turns.ts';
import type { OneAtATime } from '../../one-at-a-time.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Selection } from '../../storage/submission.ts';
import type { FormRow } from '../../storage/tables.ts';
import { type NarrowingQuery, toNarrowing } from '../list-query.ts';
import type { Chunk, ChunkRequest } from './chunk.ts';
import type { Formulas } from './csv.ts';
import { exportHead, exportTail, type Format, type Layout } from './formats.ts';

export interface ExportQuery extends NarrowingQuery {
	order: 'asc' | 'desc';
	format: Format;
	bom: boolean;
	formulas: Formulas;
}

export interface Export {
	fileName: string;
	format: Format;
	/** How many submissions there are to come, and how many have been passed on. */
	total: number;
	done: number;
	/** The bytes, in pieces. */
	chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>;
	/** To be called when no more of them are wanted. */
	end: EndTurn;
}

export interface ExportOptions {
	form: FormRow;
	query: ExportQuery;
	now: () => number;
	/** For the pieces while they wait for the client. */
	budget: Pick<ByteBudget, 'take'>;
	/** How large a piece is shows once it is read: of all exports, one at a time waits with one for room in the budget. */
	oneAtATime: OneAtATime;
	end: EndTurn;
}

/**
 * Begins an export of what is there at this moment: what arrives later is not part of it, what is removed meanwhile
 * drops out, and nothing is skipped or repeated.
 */
export async function openExport(
	{ submissions, clock }: Pick<Storage, 'submissions' | 'clock'>,
	{ form, query, now, budget, oneAtATime, end }: ExportOptions,
): Promise<Export> {
	const { order, format, bom, formulas } = query;
	const narrowing = toNarrowing(query, clock.timeline());
	// Later the answer has begun, and it is too late for a refusal.
	submissions.prepareScan();
	const last = clock.end();
	const selection = { ...narrowing, formId: form.id, beforeId: Math.min(narrowing.beforeId ?? last, last) };
	const isSpam = narrowing.filter === 'spam';
	const { names: fields, isPartial: hasRest } = await submissions.names(form.id, isSpam);
	const layout: Layout = { format, bom, formulas, fields, hasRest };
	const total = await submissions.count(selection);
	const date = new Date(now()).toISOString().slice(0, 10);
	const opened: Export = {
		fileName: `${form.slug}-${date}.${format}`,
		format,
		total,
		done: 0,
		chunks: readAll(selection),
		end,
	};

	async function* readAll(whole: Selection): Export['chunks'] {
		yield new TextEncoder().encode(exportHead(layout));
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
			try {
				yield chunk.bytes;
			} finally {
				release();
			}
		}
		yield new TextEncoder().encode(exportTail(layout));
	}

	return opened;
}
