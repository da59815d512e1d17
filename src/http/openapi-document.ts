/** Turns what the OpenAPI generator emits into a valid and readable OpenAPI 3.1 document; pure. */

type Json = null | boolean | number | string | Json[] | JsonObject;
interface JsonObject {
	[name: string]: Json;
}

export interface DocumentInfo {
	version: string;
	/** The public address of the management API. */
	baseUrl: string;
	/** The public address of the submission endpoint. */
	submitUrl: string;
	tags: { name: string; description: string }[];
}

interface Server {
	url: string;
	description: string;
}

/** A path's operations by method, and its servers if they are not the document's. */
type PathItem = { servers?: Server[] } & { [method: string]: unknown };

export type ApiDocument = ReturnType<typeof normaliseDocument>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];
const RESPONSE_MEMBERS = ['description', 'headers', 'content', 'links'];
/** Values, not schemas: nothing in them may be touched. */
const OPAQUE = new Set(['example', 'examples', 'default', 'const', 'enum']);
/** How TypeBox writes a record of string keys. */
const ANY_NAME = '^(.*)$';
/** Members that hold any names, not keywords. */
const MAPS = new Set(['properties', 'patternProperties', 'headers', 'content', 'responses']);

const DESCRIPTION = `Manage forms and read what people submitted, with an API key: \`Authorization: Bearer sk_live_…\`.
Anyone can post to a form by its slug; that needs no key.

An empty text is no value: a member or parameter is left out, or \`null\` where that is named.

Make a key with \`formsrv keys create\` or in the dashboard.`;

/**
 * The document of the routes that describe themselves: a route without a `summary` is not part of the API.
 * Schemas with an `$id` become components.
 * @throws Error if a `$ref` leads nowhere, or two different schemas have one `$id`: both are mistakes in a route.
 */
export function normaliseDocument(generated: unknown, info: DocumentInfo) {
	// The copy through JSON leaves only what a client will see: no symbols, no undefined members, nothing shared.
	const source = JSON.parse(JSON.stringify(generated)) as { paths: Record<string, JsonObject> };
	const schemas = createComponents();
	const submitServer: Server = { url: info.submitUrl, description: 'The submission endpoint' };
	const paths = Object.entries(source.paths).flatMap(([path, item]) => {
		const operations = Object.entries(item).filter(([method, operation]) => isDescribed(method, operation));
		if (operations.length === 0) return [];
		const normalised = operations.map(([method, operation]) => [
			method,
			normaliseOperation(operation as JsonObject, { path, schemas }),
		]);
		return [[path, { ...Object.fromEntries(normalised), ...(isShortPath(path) && { servers: [submitServer] }) }]];
	});
	return {
		openapi: '3.1.0',
		info: {
			title: 'formsrv',
			version: info.version,
			description: DESCRIPTION,
			license: { name: 'MIT', identifier: 'MIT' },
		},
		servers: [{ url: info.baseUrl, description: 'The management API' }],
		tags: info.tags,
		paths: Object.fromEntries(paths) as Record<string, PathItem>,
		components: {
			schemas: schemas.all(),
			securitySchemes: {
				apiKey: {
					type: 'http',
					scheme: 'bearer',
					description: 'A key that begins with `sk_live_`, `sk_test_` or `fk_`.',
				},
			},
		},
	};
}

type Components = ReturnType<typeof createComponents>;

/** Collects the schemas that have a name of their own. */
function createComponents() {
	const byName = new Map<string, JsonObject>();
	const referred = new Set<string>();

	return {
		refer(name: string): JsonObject {
			referred.add(name);
			return { $ref: `#/components/schemas/${name}` };
		},
		define(name: string, schema: JsonObject): void {
			const known = byName.get(name);
			if (known && !Bun.deepEquals(known, schema)) throw new Error(`Two different schemas have the $id ${name}.`);
			byName.set(name, schema);
		},
		all(): JsonObject {
			const missing = [...referred].filter((name) => !byName.has(name));
			if (missing.length > 0) throw new Error(`No schema has the $id ${missing.join(', ')}.`);
			return Object.fromEntries([...byName].sort(([a], [b]) => a.localeCompare(b)));
		},
	};
}

function isDescribed(method: string, operation: Json): boolean {
	return METHODS.includes(method) && isObject(operation) && typeof operation.summary === 'string';
}

/** The submission endpoint's short path is served at an address of its own. */
function isShortPath(path: string): boolean {
	return path.startsWith('/f/');
}

function normaliseOperation(operation: JsonObject, { path, schemas }: { path: string; schemas: Components }) {
	// The same operation is served at two paths, and no two may have one id.
	const operationId = `${operation.operationId}${isShortPath(path) ? 'ByShortPath' : ''}`;
	const responses = Object.entries(operation.responses as Record<string, JsonObject>);
	const normalised = { ...operation, operationId, responses: Object.fromEntries(responses.map(normaliseResponse)) };
	return normaliseSchemas(normalised, schemas);
}

function normaliseResponse([status, response]: [string, JsonObject]): [string, JsonObject] {
	const members = Object.entries(response).filter(([name]) => RESPONSE_MEMBERS.includes(name));
	const known: JsonObject = Object.fromEntries(members);
	if (isObject(known.content)) known.content = withoutGuesses(known.content);
	return [status, { description: `Status ${status}.`, ...known }];
}

/** A response schema is listed by the generator under every media type it knows; the answer is JSON. */
function withoutGuesses(content: JsonObject): JsonObject {
	const json = content['application/json'];
	if (!json) return content;
	return Object.fromEntries(
		Object.entries(content).filter(([type, media]) => type === 'application/json' || !Bun.deepEquals(media, json)),
	);
}

/**
 * Walks down to every schema, gives named ones their place among the components and simplifies the rest.
 * In a map, such as `properties`, the names are not keywords.
 */
function normaliseSchemas(value: Json, schemas: Components, isMap = false): Json {
	if (Array.isArray(value)) return value.map((item) => normaliseSchemas(item, schemas));
	if (!isObject(value)) return value;
	if (!isMap && typeof value.$ref === 'string') return schemas.refer(value.$ref.replace('#/components/schemas/', ''));
	const members = Object.entries(value).map(([name, member]) => {
		const isValue = !isMap && OPAQUE.has(name);
		return [name, isValue ? member : normaliseSchemas(member, schemas, !isMap && MAPS.has(name))];
	});
	const copy: JsonObject = Object.fromEntries(members);
	return isMap ? copy : normaliseSchema(copy, schemas);
}

function normaliseSchema({ $id, nullable: _, ...schema }: JsonObject, schemas: Components): JsonObject {
	const simple = simplifyRecord(
		Array.isArray(schema.anyOf) ? simplifyUnion(schema.anyOf.filter(isObject), schema) : schema,
	);
	if (typeof $id !== 'string') return simple;
	schemas.define($id, simple);
	return schemas.refer($id);
}

/** A union of constants becomes an `enum`, a union of one type with null a list of types. */
function simplifyUnion(members: JsonObject[], { anyOf, ...rest }: JsonObject): JsonObject {
	const types = [...new Set(members.flatMap(({ type }) => type ?? []))];
	const type = types.length > 1 ? types : (types[0] ?? null);
	const values = members.map(valuesOf);
	if (values.every((list) => list !== undefined)) return { ...rest, type, enum: values.flat() };
	const [only, ...others] = members.filter((member) => member.type !== 'null');
	const isNullable = members.length === 2 && others.length === 0 && typeof only?.type === 'string';
	return isNullable && !('enum' in only) ? { ...only, ...rest, type } : { ...rest, anyOf: members };
}

/** A pattern that every name matches says no more than `additionalProperties`, which more tools understand. */
function simplifyRecord(schema: JsonObject): JsonObject {
	const { patternProperties, ...rest } = schema;
	if (!isObject(patternProperties) || Object.keys(patternProperties).join() !== ANY_NAME) return schema;
	return { ...rest, additionalProperties: patternProperties[ANY_NAME] ?? true };
}

/** The only values that a schema allows, if it lists them. */
function valuesOf(schema: JsonObject): Json[] | undefined {
	if (schema.type === 'null') return [null];
	if (Array.isArray(schema.enum)) return schema.enum;
	return schema.const === undefined ? undefined : [schema.const];
}

function isObject(value: Json | undefined): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
