/** Objects as clients send them: a member that is left out or `null` takes its default. */

import type { TSchema } from '@sinclair/typebox';
import type { Types } from './setting.ts';

type WithoutNulls<T> = { [Name in keyof T]: Exclude<T[Name], null> };

export function withoutNulls<T extends object>(members: T): WithoutNulls<T> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}

/** The schema of such an object. @param members The schemas of values. */
export function partialObject(
	{ Type, nullable }: Types,
	members: Record<string, TSchema>,
	description: string,
): TSchema {
	const entries = Object.entries(members).map(([name, schema]) => [name, nullable(schema)]);
	return Type.Partial(Type.Object(Object.fromEntries(entries)), { description, additionalProperties: false });
}
