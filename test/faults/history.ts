/** The record of all that clients sent and were told, with the position of the recording at each moment; and the state of the disk that follows from it. */

import { deepEquals } from 'bun';
import type { Flags } from '../../src/storage/filters.ts';
import { NEW } from '../../src/storage/filters.ts';

export const SLUGS = ['plain', 'told'] as const;
/** Submissions to `told` are told to a webhook. */
export type Slug = (typeof SLUGS)[number];

const DELIVERIES: Record<Slug, number> = { plain: 0, told: 1 };

export interface Sent {
	n: number;
	slug: Slug;
	/** The fields that are stored. */
	fields: Record<string, string | number | string[]>;
	/** Names and SHA-256 of its files. */
	files: readonly { name: string; sha256: string }[];
	isRobot: boolean;
	/** It may be sent again with its `Idempotency-Key` for as long as nobody said that it is stored. */
	isKeyed: boolean;
	/** When the first attempt began. */
	begun: number;
	/** When it was first known to be stored: told to its sender or to a webhook, or seen in a list. */
	stored: number;
	/** When the server said that it is not. */
	rejected: number;
	changes: Change[];
	/** A response that it should not have got. */
	problem?: string;
	/** As it was found after an earlier end of the server; `null`: not there. */
	found?: Flags | null;
}

/** A flag that is set, or the removal. */
export interface Change {
	flag?: keyof Flags;
	value?: boolean;
	begun: number;
	done: number;
}

export interface FoundRow extends Flags {
	n: number;
	slug: Slug;
	fields: Record<string, unknown>;
	files: readonly { name: string; sha256: string }[];
	deliveries: number;
}

export const NEVER = Number.POSITIVE_INFINITY;
/** Behind all positions of a recording. */
export const END = Number.MAX_SAFE_INTEGER;

export type History = ReturnType<typeof createHistory>;

export function createHistory() {
	const sent = new Map<number, Sent>();

	/** The problems of one submission that is there. */
	function* problemsOf(one: Sent, row: FoundRow, at: number): Generator<string> {
		const name = `submission ${one.n}`;
		if (one.rejected <= at) yield `${name} was rejected, and is there`;
		if (one.found === null) yield `${name} was not there before, and is now`;
		if (one.begun > at) yield `${name} is there before it was sent`;
		if (one.changes.some(({ flag, done }) => !flag && done <= at)) yield `${name} was removed, and is there`;
		if (row.slug !== one.slug || !deepEquals(row.fields, one.fields))
			yield `${name} has other content: ${JSON.stringify(row.fields)}`;
		if (!deepEquals(row.files, one.files)) yield `${name} has other files: ${JSON.stringify(row.files)}`;
		if (row.deliveries !== DELIVERIES[one.slug]) yield `${name} has ${row.deliveries} deliveries`;
		for (const flag of ['isRead', 'isStarred', 'isSpam', 'isArchived'] as const) {
			if (!possible(one, flag, at).has(row[flag])) yield `${name} has ${flag} ${row[flag]}`;
		}
	}

	return {
		add(one: Pick<Sent, 'n' | 'slug' | 'fields' | 'files' | 'isRobot' | 'isKeyed' | 'begun'>): Sent {
			const added = { ...one, stored: NEVER, rejected: NEVER, changes: [] };
			sent.set(one.n, added);
			return added;
		},
		get: (n: number) => sent.get(n),
		unsettled: () =>
			[...sent.values()].filter(({ found, isKeyed, stored }) => isKeyed && found === undefined && stored === NEVER),
		/** Compares what is there after a cut at a moment. */
		problems(rows: readonly FoundRow[], at: number): string[] {
			const there = new Set(rows.map(({ n }) => n));
			const doubled = rows.length - there.size;
			const result = doubled > 0 ? [`${doubled} submissions are there twice`] : [];
			for (const row of rows) {
				const one = sent.get(row.n);
				if (one) result.push(...problemsOf(one, row, at));
				else result.push(`submission ${row.n} was never sent`);
			}
			for (const one of sent.values()) {
				if (one.problem) result.push(`submission ${one.n} got ${one.problem}`);
				const mustBe = one.stored <= at || one.found;
				const mayBeRemoved = one.changes.some(({ flag, begun }) => !flag && begun <= at);
				if (mustBe && !mayBeRemoved && !there.has(one.n)) result.push(`submission ${one.n} is lost`);
			}
			return result;
		},
		/** From now on it stays as it was found after the end of a server. */
		settle(rows: readonly FoundRow[]): void {
			const byNumber = new Map(rows.map((row) => [row.n, row]));
			for (const one of sent.values()) {
				const row = byNumber.get(one.n);
				const mayCome = !row && one.isKeyed && one.stored === NEVER && one.found === undefined;
				one.found = row ? flagsOf(row) : null;
				one.changes = [];
				one.begun = 0;
				one.stored = NEVER;
				one.rejected = NEVER;
				// When it is sent again.
				if (mayCome) delete one.found;
			}
		},
	};
}

const flagsOf = ({ isRead, isStarred, isSpam, isPending, isArchived }: Flags): Flags => ({
	isRead,
	isStarred,
	isSpam,
	isPending,
	isArchived,
});

/** The values that a flag may have: that of the last change that was acknowledged, and of later ones that may have arrived. */
function possible({ found, isRobot, changes }: Sent, flag: keyof Flags, at: number): Set<boolean> {
	const initial = found ?? { ...NEW, isSpam: isRobot };
	let values = new Set([initial[flag]]);
	for (const change of changes) {
		if (change.flag !== flag || change.begun > at) continue;
		const value = change.value === true;
		values = change.done <= at ? new Set([value]) : values.add(value);
	}
	return values;
}
