/**
 * The submissions of a form in the order of their ids. Said so that PostgreSQL takes an index that begins with the form: with
 * `form_id = $1 … order by id limit` it takes the one of all ids, and passes over whatever older submissions other forms have.
 */

import type { Paging } from '../submission.ts';

/** Condition on the form $1, from one id ($2) to below another ($3). */
export const OF_FORM_BETWEEN = '(form_id, id) >= ($1, $2) and (form_id, id) < ($1, $3)';

export function inOrder(order: Paging['order']): string {
	return `form_id ${order}, id ${order}`;
}
