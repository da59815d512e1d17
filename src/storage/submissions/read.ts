/** Single submissions and their files, read as the contract says. */

import type { SubmissionStore } from '../contract.ts';
import {
	COLUMNS,
	FILE_COLUMNS,
	HEAD_COLUMNS,
	PAGE_COLUMNS,
	type Row,
	toEntry,
	toFile,
	toHead,
	toStored,
} from '../rows.ts';
import type { PageEntry, StoredFile } from '../submission.ts';
import { type Dialect, type Engine, type Operation, rows } from './operation.ts';

const FROM = 'from submissions where id = $1 and form_id = $2';

type Reads = 'get' | 'head' | 'text' | 'entries' | 'files' | 'hasFiles' | 'fileBytes';

export function createReads({ dialect, read }: Pick<Engine, 'dialect' | 'read'>): Pick<SubmissionStore, Reads> {
	return {
		async get(formId, id) {
			const [row] = await read(rows(`select ${COLUMNS} ${FROM}`, [id, formId]));
			return row && toStored(row);
		},
		async head(formId, id) {
			const [row] = await read(rows(`select ${HEAD_COLUMNS} ${FROM}`, [id, formId]));
			return row && toHead(formId, id, row);
		},
		async text({ formId, id }, maxBytes) {
			const asked = maxBytes === undefined ? dialect.utf8 : `substr(${dialect.utf8}, 1, ${Math.floor(maxBytes)})`;
			const [row] = await read(rows<[Uint8Array | null]>(`select ${asked} ${FROM}`, [id, formId]));
			// bun:sqlite reads no bytes, which only damage leaves, as null.
			return row && (row[0] ?? new Uint8Array());
		},
		entries: (formId, ids) => read(entriesOf(dialect, formId, ids)),
		files: (ids) => read(filesOf(dialect, ids)),
		async hasFiles(formId) {
			const [row] = await read(rows('select exists (select 1 from files where form_id = $1)', [formId]));
			return Boolean(row?.[0]);
		},
		async fileBytes(formId) {
			const sum = 'select cast(coalesce(sum(file_bytes), 0) as bigint) from forms';
			const one = formId === undefined ? rows<[number]>(sum) : rows<[number]>(`${sum} where id = $1`, [formId]);
			return (await read(one))[0]?.[0] ?? 0;
		},
	};
}

/** Those of the ids that exist, in their order. */
export function* entriesOf(dialect: Dialect, formId: number, ids: readonly number[]): Operation<PageEntry[]> {
	if (ids.length === 0) return [];
	const found = yield* rows(
		`select ${PAGE_COLUMNS} from submissions where form_id = $1 and ${dialect.isIn('id', '$2')}`,
		[formId, dialect.list(ids)],
	);
	const byId = new Map(found.map((row) => [row[0], row]));
	return ids.flatMap((id) => {
		const row = byId.get(id);
		return row ? [toEntry(row)] : [];
	});
}

export function* filesOf(dialect: Dialect, ids: readonly number[]): Operation<Map<number, StoredFile[]>> {
	const found = yield* rows<[number, ...Row]>(
		`select submission_id, ${FILE_COLUMNS} from files
			where ${dialect.isIn('submission_id', '$1')} order by submission_id, id`,
		[dialect.list(ids)],
	);
	return new Map(
		[...Map.groupBy(found, ([id]) => id)].map(([id, files]) => [id, files.map(([, ...file]) => toFile(file))]),
	);
}
