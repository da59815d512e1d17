/** Reads the newest submissions of a form and proposes rules for its fields. */

import type { FieldRule } from '../../field-rules/rules.ts';
import { createSuggestion } from '../../field-rules/suggest.ts';
import type { ScanRequest, Storage } from '../../storage/contract.ts';
import type { StoredSubmission } from '../../storage/submission.ts';
import type { Mode } from '../../storage/tables.ts';
import { parseInOrder } from '../../text/ordered-json.ts';

/** The most that are read. */
const SUBMISSIONS = 1000;
const CHARACTERS = 8 * 1024 * 1024;

export interface FieldSuggestion {
	fields: FieldRule[];
	/** From how many submissions. */
	scanned: number;
}

export function suggestFields(submissions: Iterable<StoredSubmission>): FieldSuggestion {
	const suggestion = createSuggestion();
	let scanned = 0;
	let characters = 0;
	for (const { data, isDamaged, files = [] } of submissions) {
		if (isDamaged) continue;
		const values = parseInOrder(data) as Record<string, unknown>;
		suggestion.add({ values, files: new Set(files.map(({ field }) => field)) });
		scanned++;
		characters += data.length;
		if (scanned === SUBMISSIONS || characters > CHARACTERS) break;
	}
	return { fields: suggestion.rules(), scanned };
}

/** @throws AppError FORM_NOT_FOUND */
export async function readFieldSuggestion(
	{ findFormId, submissions }: Pick<Storage, 'findFormId' | 'submissions'>,
	id: string,
	mode?: Mode,
): Promise<FieldSuggestion> {
	const formId = await findFormId(id, mode);
	submissions.prepareScan();
	return submissions.scan<ScanRequest, FieldSuggestion>('suggestFields', {
		selection: { formId, filter: 'all' },
		order: 'desc',
	});
}
