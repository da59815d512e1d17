/** Remembers what was made for a key, within bounds. */

/**
 * @param make Called for a key that is not known.
 * @param maxKeys When there are so many, all are forgotten.
 * @param maxLength A longer key is not kept, so that the keys of clients take no memory to speak of.
 */
export function remember<Value>(
	make: (key: string) => Value,
	maxKeys: number,
	maxLength = 300,
): (key: string) => Value {
	const known = new Map<string, Value>();
	return (key) => {
		const value = known.get(key);
		if (value !== undefined) return value;
		const made = make(key);
		if (known.size >= maxKeys) known.clear();
		if (key.length <= maxLength) known.set(key, made);
		return made;
	};
}
