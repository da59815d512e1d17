/** Goes through the submissions of all forms and modes, spam included, and finds those of people. */

import { asc, isNull } from 'drizzle-orm';
import type { Storage } from '../../storage/contract.ts';
import { forms } from '../../storage/tables.ts';
import type { Pause } from '../../tasks/in-chunks.ts';
import type { FindRequest, FoundPiece } from './find-people.ts';
import type { Person } from './matcher.ts';

/** Ends early if `pause` says so; then it returns `false`. */
export async function* findSubmissions(
	{ db, submissions }: Pick<Storage, 'db' | 'submissions'>,
	{ people, beforeId, pause }: { people: readonly Person[]; beforeId: number; pause: Pause },
): AsyncGenerator<FoundPiece & { formId: number }, boolean> {
	const rows = await db.select({ id: forms.id }).from(forms).where(isNull(forms.deletedAt)).orderBy(asc(forms.id));
	for (const { id: formId } of rows) {
		for (let fromId: number | undefined = 0; fromId !== undefined; ) {
			const piece: FoundPiece = await submissions.scan<FindRequest, FoundPiece>('findPeople', {
				selection: { formId, filter: 'any', fromId, beforeId },
				order: 'asc',
				people,
			});
			yield { formId, ...piece };
			if (!(await pause())) return false;
			fromId = piece.nextId;
		}
	}
	return true;
}
