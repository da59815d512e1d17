/** Submissions whose text may be large: what there is beside it, and the text itself as bytes, which copy nothing. */

import type { Database } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { HEAD_COLUMNS, toHead } from '../rows.ts';
import type { SubmissionHead } from '../submission.ts';

export function createSubmissionTexts(client: Database) {
	const from = 'from submissions where id = ? and form_id = ?';
	const head = lazy(() => client.prepare(`select ${HEAD_COLUMNS} ${from}`));
	const whole = lazy(() => client.prepare(`select cast(data as blob) ${from}`));
	const beginning = lazy(() => client.prepare(`select substr(cast(data as blob), 1, ?) ${from}`));

	return {
		async head(formId: number, id: number): Promise<SubmissionHead | undefined> {
			const row = head().values(id, formId)[0];
			return row && toHead(formId, id, row);
		},
		async text(
			{ formId, id }: Pick<SubmissionHead, 'formId' | 'id'>,
			maxBytes?: number,
		): Promise<Uint8Array | undefined> {
			const rows = maxBytes === undefined ? whole().values(id, formId) : beginning().values(maxBytes, id, formId);
			return rows[0]?.[0] as Uint8Array | undefined;
		},
	};
}
