/** Work that is done one after the other, in the order in which it was asked for. */

export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

export function createOneAtATime(): OneAtATime {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const next = last.then(work);
		// Without its result, which may be large.
		last = next.then(
			() => {},
			() => {},
		);
		return next;
	};
}
