/** An object with a member for each of some names. */
export function mapNames<Name extends string, T>(
	names: readonly Name[],
	of: (name: Name, i: number) => T,
): Record<Name, T> {
	const made = {} as Record<Name, T>;
	for (let i = 0; i < names.length; i++) made[names[i] as Name] = of(names[i] as Name, i);
	return made;
}

/** The members of an object by these names. */
export const pickNames = <Whole, Name extends keyof Whole & string>(whole: Whole, names: readonly Name[]) =>
	mapNames(names, (name) => whole[name]) as Pick<Whole, Name>;
