/** Runs checks that pause now and then, with what else the server does in between. */

import type { Checking } from '../field-rules/check.ts';
import { createOneAtATime } from '../tasks/one-at-a-time.ts';

/** One stretch of one check between two rounds of events, however many checks wait. */
const inOrder = createOneAtATime();
const nextTurn = () => inOrder(() => new Promise<void>((resolve) => setImmediate(resolve)));

export async function inTurns<T>(check: Checking<T>): Promise<T> {
	let stretch = check.next();
	while (!stretch.done) {
		await nextTurn();
		stretch = check.next();
	}
	return stretch.value;
}
