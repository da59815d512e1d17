/** Availability of the database: while it is away, queries end at once, including those in flight. */

import { Unavailable } from '../errors.ts';
import type { Sql } from './connection.ts';

export type Availability = ReturnType<typeof createAvailability>;

/** @param onError Called with the error of a statement. */
export function createAvailability(onError: (error: unknown) => void) {
	const asking = new Set<(error: Error) => void>();
	let isAway = false;

	async function during<T>(ask: () => PromiseLike<T>): Promise<T> {
		if (isAway) throw away();
		const { promise, resolve, reject } = Promise.withResolvers<T>();
		asking.add(reject);
		try {
			ask().then(resolve, reject);
			return await promise;
		} catch (error) {
			onError(error);
			throw error;
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
			return {
				...sql,
				unsafe: (...args) => ({ values: () => during(() => sql.unsafe(...args).values()) }),
				begin(work, mode) {
					let isOver = false;
					// It has failed for the caller: it neither begins after the wait for a connection, nor is committed any more.
					const run: typeof work = async (tx) => {
						if (isOver) throw away();
						const result = await work(tx);
						if (isOver) throw away();
						return result;
					};
					return during(() => sql.begin(run, mode)).finally(() => {
						isOver = true;
					});
				},
			};
		},
	};
}

function away(): Unavailable {
	return new Unavailable(undefined, 'reach its database');
}
