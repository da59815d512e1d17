/** Remembers what was made for a key, within bounds. */

/** A longer key is not kept, so that the keys of clients take no memory to speak of. */
const MAX_KEY_LENGTH = 300;

/**
 * @param make Called for a key that is not known.
 * @param maxKeys When there are so many, all are forgotten.
 */
export function remember<Value>(make: (key: string) => Value, maxKeys: number): (key: string) => Value {
	const known = new Map<string, Value>();
	return (key) => {
		const value = known.get(key);
		if (value !== undefined) return value;
		const made = make(key);
		if (known.size >= maxKeys) known.clear();
		if (key.length <= MAX_KEY_LENGTH) known.set(key, made);
		return made;
	};
}
