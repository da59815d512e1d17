/** A function that ends something, for `using` as well. */

export function disposable<End extends () => void>(end: End): End & Disposable {
	return Object.assign(end, { [Symbol.dispose]: () => end() });
}
