/** Values created on first use, such as prepared statements, so that the start does not wait for them. */

export function lazy<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
