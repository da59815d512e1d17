/** The rows of attached files, and with them the room that a form takes in the file store. */

import type { Events } from '../../events.ts';
import type { SubmissionStore } from '../contract.ts';
import { roomInSql, roomOf } from '../file-room.ts';
import { type Dialect, type Engine, type Operation, rows, type Value } from './operation.ts';

export function createFiles(
	{ dialect, write, holdCounts }: Engine,
	{ events }: { events: Events },
): Pick<SubmissionStore, 'dropFiles' | 'keepFile'> {
	return {
		async dropFiles(formId, ids) {
			await write(function* () {
				const moveCounts = yield* holdCounts(formId);
				if (!moveCounts) return;
				const list = [dialect.list(ids)];
				yield* removeFiles(dialect, list);
				yield* rows(`update files set key = null where ${dialect.isIn('submission_id', '$1')}`, list);
			});
			events.publish({ type: 'change', formId });
		},
		async keepFile(formId, { id, key, scan }) {
			const isKept = await write(function* () {
				// Others that store or drop its files hold the form as well.
				if (!(yield* holdCounts(formId))) return false;
				const without = 'id = $1 and form_id = $2 and key is null';
				const [found] = yield* rows<[number]>(`select bytes from files where ${without}`, [id, formId]);
				if (!found) return false;
				yield* rows(`update files set key = $3, scan = $4 where ${without}`, [id, formId, key, scan]);
				yield* rows('update forms set file_bytes = file_bytes + $2 where id = $1', [formId, roomOf(found[0])]);
				return true;
			});
			if (isKept) events.publish({ type: 'change', formId });
			return isKept;
		},
	};
}

/** Leaves the files of a list of submissions to the sweep of files; their rows are the caller's. */
export function* removeFiles(dialect: Dialect, list: readonly Value[]): Operation<void> {
	const kept = `from files where ${dialect.isIn('submission_id', '$1')} and key is not null`;
	const room = `cast(${roomInSql(dialect.greatest)} as bigint)`;
	const sums = yield* rows<[number, number]>(`select form_id, ${room} ${kept} group by form_id`, list);
	if (sums.length > 0)
		yield* rows(`insert into removed_files (key) select key ${kept} on conflict (key) do update set due_at = 0`, list);
	for (const [formId, bytes] of sums)
		yield* rows(`update forms set file_bytes = ${dialect.greatest}(0, file_bytes - cast($2 as bigint)) where id = $1`, [
			formId,
			bytes,
		]);
}
