/** An object with a member for each of some names. */
export const mapNames = <Name extends string, T>(names: readonly Name[], of: (name: Name) => T) =>
	Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, T>;

/** The members of an object by these names. */
export const pickNames = <Whole, Name extends keyof Whole & string>(whole: Whole, names: readonly Name[]) =>
	mapNames(names, (name) => whole[name]) as Pick<Whole, Name>;
