/** Drops members that are `null`, which stands for the default as if they were left out. */

type WithoutNulls<T> = { [Name in keyof T]: Exclude<T[Name], null> };

export function withoutNulls<T extends object>(members: T): WithoutNulls<T> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}
