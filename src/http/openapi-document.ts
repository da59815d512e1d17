/** Generates the OpenAPI document from the routes' descriptions; the only file that uses the generator. */

import { type AnyElysia, Elysia } from 'elysia';

interface DocumentInfo {
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

/** A path's operations by method, and its servers if they differ from the document's. */
type PathItem = { servers?: Server[] } & { [method: string]: unknown };

export type ApiDocument = ReturnType<typeof documentation> & {
	paths: Record<string, PathItem>;
	components: { schemas: Record<string, object> };
};

const DESCRIPTION = `Manage forms and read what people submitted, with an API key: \`Authorization: Bearer sk_live_…\`.
Anyone can post to a form by its slug; that needs no key.

An empty text is no value: a member or parameter is left out, or \`null\` where that is named.
The length of a text is its number of Unicode characters: an emoji is one.

Make a key with \`formsrv keys create\` or in the dashboard. The guides are listed at [/llms.txt](/llms.txt).`;

/** Describes the routes of an app without changing it. @throws Error as {@link nameSchemas} */
export async function openApiDocument(routes: AnyElysia, info: DocumentInfo): Promise<ApiDocument> {
	// Loaded on demand: with its dependencies it would take half of the program's start-up time.
	const { swagger } = await import('@elysiajs/swagger');
	const options = {
		path: '/generated',
		excludeMethods: ['ALL', 'OPTIONS'],
		// It would leave out every path with a dot.
		excludeStaticFile: false,
		documentation: documentation(info),
	};
	const generator = new Elysia().use(swagger(options)).use(routes);
	const generated = await generator.handle(new Request('http://localhost/generated/json'));
	const document = nameSchemas(await generated.text());
	const submitServer: Server = { url: info.submitUrl, description: 'The submission endpoint' };
	for (const [path, item] of Object.entries(document.paths)) {
		if (path.startsWith('/f/')) item.servers = [submitServer];
	}
	return document;
}

/** The parts of the document that do not depend on the routes. */
function documentation(info: DocumentInfo) {
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
		components: {
			securitySchemes: {
				apiKey: {
					type: 'http' as const,
					scheme: 'bearer',
					description:
						'A key that begins with `sk_live_`, `sk_test_` or `fk_`; the last lists, reads, marks and exports the submissions of ' +
						'its forms, and hears their events. What stands beside `apiKey` at an operation are the permissions that it takes; ' +
						'`admin` has all.',
				},
			},
		},
	};
}

/**
 * Moves each schema with an `$id` to the components, and replaces it with a reference.
 * @throws Error if two different schemas have one `$id`, which is a bug in a route.
 */
function nameSchemas(text: string): ApiDocument {
	const schemas: Record<string, object> = {};
	const document: ApiDocument = JSON.parse(text, (_, value) => {
		if (typeof value?.$id !== 'string') return value;
		const { $id, ...schema } = value;
		schemas[$id] ??= schema;
		if (!Bun.deepEquals(schemas[$id], schema)) throw new Error(`Two different schemas have the $id ${$id}.`);
		return { $ref: `#/components/schemas/${$id}` };
	});
	document.components.schemas = Object.fromEntries(Object.entries(schemas).sort());
	return document;
}
