/** TypeBox types that the OpenAPI document shows in the short form of JSON Schema. */

import { Kind, type SchemaOptions, type TObject, type TOptional, type TSchema, Type } from '@sinclair/typebox';

/** Marks a schema of which `null` is as if the member were left out. */
export const NULL_IS_ABSENT = Symbol('null is absent');

/** One of these texts. */
export function stringEnum<T extends string>(values: readonly T[], options: SchemaOptions = {}) {
	const allowed = values.length === 1 ? { const: values[0] } : { enum: values };
	const toJSON = () => ({ ...options, type: 'string', ...allowed });
	return Type.Union(
		values.map((value) => Type.Literal(value)),
		{ ...options, toJSON },
	);
}

/** A value of a type, or `null`; not for a schema with an `$id`. */
export function nullable<T extends TSchema>(schema: T, options: SchemaOptions = {}) {
	const { anyOf, [Kind]: _, ...own } = schema;
	if (anyOf && !schema.toJSON) return Type.Union([...anyOf, Type.Null()], { ...own, ...options }) as never;
	const toJSON = () => {
		const { const: only, enum: values = only && [only], ...shown } = schema.toJSON?.() ?? schema;
		return { ...shown, ...options, type: [shown.type, 'null'], enum: values && [...values, null] };
	};
	return Type.Union([schema, Type.Null()], { ...options, toJSON });
}

/** A member of a body that may be left out, or be `null` as if it were; `readJson` drops that. */
export function omissible<T extends TSchema>(schema: T): TOptional<T> {
	const { description } = schema;
	return Type.Optional(
		nullable(schema, { ...(description !== undefined && { description }), [NULL_IS_ABSENT]: true }),
	) as unknown as TOptional<T>;
}

/** An object with any member names and values of one type. */
export function stringMap<T extends TSchema>(values: T, options: SchemaOptions = {}) {
	const toJSON = () => ({ ...options, type: 'object', additionalProperties: values });
	return Type.Record(Type.String(), values, { ...options, toJSON });
}

/**
 * The members of `shown` that a request cannot set, for its body: accepted and ignored, so that an object can be sent back as
 * it was read. They are in the schema and not in its type.
 */
export function ignoredMembers(shown: TObject, settable: object): Record<never, TSchema> {
	const names = Object.keys(shown.properties).filter((name) => !(name in settable));
	const ignored = Type.Optional(Type.Any({ description: 'Read-only; ignored.' }));
	return Object.fromEntries(names.map((name) => [name, ignored]));
}
