/** Whether the database is there: while it is not, questions end at once, also those that are being asked. */

import { Unavailable } from '../errors.ts';
import type { Sql } from './connection.ts';

export type Presence = ReturnType<typeof createPresence>;

export function createPresence() {
	const asking = new Set<(error: Error) => void>();
	let isAway = false;

	async function during<T>(ask: () => PromiseLike<T>): Promise<T> {
		if (isAway) throw away();
		const { promise, resolve, reject } = Promise.withResolvers<T>();
		asking.add(reject);
		try {
			ask().then(resolve, reject);
			return await promise;
		} finally {
			asking.delete(reject);
		}
	}

	return {
		during,
		set(isThere: boolean): void {
			isAway = !isThere;
			if (isAway) for (const reject of asking) reject(away());
		},
		/** Statements of its pool end by that. What is in flight may still take effect, as when a connection is lost. */
		bind(sql: Sql): Sql {
			const { unsafe, begin } = sql;
			return Object.assign(Object.create(sql), {
				unsafe: (...args: Parameters<Sql['unsafe']>) => ({ values: () => during(() => unsafe(...args).values()) }),
				begin(...args: unknown[]) {
					const work = args.pop() as (tx: unknown) => unknown;
					let isOver = false;
					// One that had to wait for its connection does not begin afterwards.
					const run = (tx: unknown) => (isOver ? Promise.reject(away()) : work(tx));
					return during(() => begin(...([...args, run] as Parameters<Sql['begin']>))).finally(() => {
						isOver = true;
					});
				},
			});
		},
	};
}

function away(): Unavailable {
	return new Unavailable(undefined, 'reach its database');
}
