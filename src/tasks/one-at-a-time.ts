/** Runs tasks one after the other, in the order of their calls. */

export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

export function createOneAtATime(): OneAtATime {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const next = last.then(work);
		// Drop the result, which may be large.
		last = next.then(
			() => {},
			() => {},
		);
		return next;
	};
}
