/** The deliveries that a change or a confirmation of submissions causes, written in its transaction. */

import { cellOf, DELIVERY, typesOf } from '../rows.ts';
import type { NewDelivery } from '../submission.ts';
import { type Dialect, type Operation, rows, type Transition } from './operation.ts';

export interface ChangeAbout {
	formId: number;
	ids: readonly number[];
	isRemoval: boolean;
	/** True if they are marked as spam. */
	isSpam?: boolean | undefined;
	/** The call that it is a part of, if others belong to that too. */
	call: object;
}

interface Announcement {
	/** The deliveries to write, given the submissions that really change. May be asked again, from the beginning. */
	deliveries(changed: readonly Transition[]): readonly NewDelivery[];
	/** In place of those that were not written. */
	instead(unwritten: readonly NewDelivery[]): readonly NewDelivery[];
	/** It is on disk. */
	stored(): void;
}

/** Called before the transaction. `undefined`: nothing goes out because of it. */
export type Announce = (about: ChangeAbout) => Promise<Announcement | undefined>;

const COLUMNS = typesOf(DELIVERY);
const NAMES = Object.keys(COLUMNS).join(', ');

export function* writeDeliveries(
	dialect: Dialect,
	{ deliveries, instead }: Announcement,
	changed: readonly Transition[],
): Operation<void> {
	const planned = deliveries(changed);
	const written = new Set(yield* insertDeliveries(dialect, planned));
	yield* insertDeliveries(dialect, instead(planned.filter(({ id }) => !written.has(id ?? 0))));
}

/**
 * One that is there takes the content of a later one while it has not left. One to a webhook that was removed meanwhile is left out.
 * @returns the ids of those that were written
 */
export function* insertDeliveries(dialect: Dialect, planned: readonly NewDelivery[]): Operation<number[]> {
	if (planned.length === 0) return [];
	const list = planned.map((one) => Object.fromEntries(DELIVERY.map((column) => [column.name, cellOf(one, column)])));
	const written = yield* rows<[number]>(
		`insert into deliveries (${NAMES}) select ${NAMES} from ${dialect.records(COLUMNS)} d
			where d.webhook_id is null or exists (select 1 from webhooks where webhooks.id = d.webhook_id)
			on conflict (id) do update set content = excluded.content, next_attempt_at = excluded.next_attempt_at
				where deliveries.state = excluded.state and deliveries.attempts = 0
			returning id`,
		[JSON.stringify(list)],
	);
	return written.map(([id]) => id);
}
