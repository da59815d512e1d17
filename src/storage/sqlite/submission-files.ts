/** The rows of files: written and removed in the transaction of their submission, and read for pages of submissions. */

import type { Database, Statement } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { roomInSql, roomOf } from '../file-room.ts';
import type { Arrival, StoredFile } from '../submission.ts';
import type { Scan } from '../tables.ts';
import type { FormIndex } from './form-index.ts';

const COLUMNS = 'id, field, name, type, claimed_type, bytes, sha256, key, scan';
const ANY_OF_FORM = 'select exists (select 1 from files where form_id = ?)';

type FileRow = [number, number, string, string, string, string, number, string, string | null, Scan | null];

export type SubmissionFiles = ReturnType<typeof createSubmissionFiles>;

/** To be called inside the writer's transaction. */
export function createSubmissionFiles(client: Database, { withoutFiles }: Pick<FormIndex, 'withoutFiles'>) {
	const insertFile = lazy(() =>
		client.prepare(
			`insert into files (id, form_id, submission_id, field, name, type, claimed_type, bytes, sha256, key, scan)
				values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		),
	);
	const addBytes = lazy(() => client.prepare('update forms set file_bytes = file_bytes + ? where id = ?'));
	const ofOne = lazy(() => prepareRemoval(client, '= ?'));
	const ofFirst = lazy(() =>
		prepareRemoval(client, 'in (select id from submissions where form_id = ? order by id limit ?)'),
	);

	function remove({ sum, keys }: Removal, ...values: number[]): void {
		for (const [formId, bytes] of sum.values(...values) as [number, number][]) {
			keys.run(...values);
			addBytes().run(-bytes, formId);
		}
	}

	return {
		insert({ id: submissionId, row: { formId } }: Arrival, files: readonly StoredFile[]): void {
			withoutFiles.delete(formId);
			let kept = 0;
			for (const { id, field, name, type, claimedType, bytes, sha256, key, scan } of files) {
				insertFile().run(id, formId, submissionId, field, name, type, claimedType, bytes, sha256, key, scan);
				if (key !== null) kept += roomOf(bytes);
			}
			addBytes().run(kept, formId);
		},
		/** To be called before the submission is removed, with which the rows go. */
		remove: (submissionId: number): void => remove(ofOne(), submissionId),
		/** To be called before the first submissions of a form are removed. */
		removeFirst: (formId: number, limit: number): void => remove(ofFirst(), formId, limit),
	};
}

interface Removal {
	sum: Statement;
	keys: Statement;
}

function prepareRemoval(client: Database, submissions: string): Removal {
	const kept = `from files where submission_id ${submissions} and key is not null`;
	return {
		sum: client.prepare(`select form_id, ${roomInSql('max')} ${kept} group by form_id`),
		keys: client.prepare(
			`insert into removed_files (key) select key ${kept} on conflict (key) do update set due_at = 0`,
		),
	};
}

/** @param refresh Notices what another process wrote. */
export function createFileLists(
	client: Database,
	{ index: { withoutFiles }, refresh }: { index: Pick<FormIndex, 'withoutFiles'>; refresh(): void },
) {
	const ofSubmissions = lazy(() =>
		client.prepare(
			`select submission_id, ${COLUMNS} from files
				where submission_id in (select value from json_each(?)) order by submission_id, id`,
		),
	);
	const anyOfForm = lazy(() => client.prepare(ANY_OF_FORM));
	const ofForm = lazy(() => client.prepare('select file_bytes from forms where id = ?'));
	const ofAll = lazy(() => client.prepare('select sum(file_bytes) from forms'));
	return {
		async hasFiles(formId: number): Promise<boolean> {
			refresh();
			if (withoutFiles.has(formId)) return false;
			const hasFiles = anyOfForm().values(formId)[0]?.[0] === 1;
			if (!hasFiles) withoutFiles.add(formId);
			return hasFiles;
		},
		async files(ids: readonly number[]): Promise<Map<number, StoredFile[]>> {
			const found = new Map<number, StoredFile[]>();
			for (const [submissionId, ...row] of ofSubmissions().values(JSON.stringify(ids)) as FileRow[]) {
				const files = found.get(submissionId) ?? [];
				files.push(toFile(row));
				found.set(submissionId, files);
			}
			return found;
		},
		async fileBytes(formId?: number): Promise<number> {
			const rows = formId === undefined ? ofAll().values() : ofForm().values(formId);
			return Number(rows[0]?.[0] ?? 0);
		},
	};
}

/** For a scan of a form: reads the files of its submissions one after the other; `undefined` if there are none. */
export function openFileReads(client: Database, formId: number) {
	using any = client.prepare(ANY_OF_FORM);
	if (any.values(formId)[0]?.[0] !== 1) return undefined;
	const ofOne = client.prepare(`select ${COLUMNS} from files where submission_id = ? order by id`);
	return {
		filesOf: (submissionId: number): StoredFile[] => (ofOne.values(submissionId) as Tail<FileRow>[]).map(toFile),
		[Symbol.dispose]: () => ofOne.finalize(),
	};
}

type Tail<T> = T extends [unknown, ...infer R] ? R : never;

function toFile([id, field, name, type, claimedType, bytes, sha256, key, scan]: Tail<FileRow>): StoredFile {
	return { id, field, name, type, claimedType, bytes, sha256, key, scan };
}
