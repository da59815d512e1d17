/** An object with a member for each of some names. */
export const mapNames = <Name extends string, T>(names: readonly Name[], of: (name: Name) => T) =>
	Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, T>;
