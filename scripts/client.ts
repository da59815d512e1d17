/**
 * `bun scripts/client.ts`: the npm package `@formsrv/client` in `dist/client`. Its types are made from the API document, which the
 * application is asked for in a folder of its own.
 */

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../package.json';
import { createCli } from '../src/cli/cli.ts';
import { localApi } from '../src/cli/local-api.ts';

const ROOT = join(import.meta.dir, '..');
const SOURCE = join(ROOT, 'client');

type Schema = Record<string, unknown> & {
	properties?: Record<string, Schema>;
	additionalProperties?: Schema | boolean;
	required?: string[];
	anyOf?: Schema[];
	allOf?: Schema[];
	items?: Schema;
	enum?: unknown[];
	type?: string | string[];
	description?: string;
};
interface Operation {
	operationId: string;
	description?: string;
	parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
	requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
	responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
export interface ApiDocument {
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, Schema> };
}

const TYPES = {
	declaration: true,
	emitDeclarationOnly: true,
	rewriteRelativeImportExtensions: true,
	strict: true,
	target: 'ESNext',
	module: 'ESNext',
	moduleResolution: 'bundler',
	lib: ['ESNext', 'DOM'],
	types: [],
};
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const SCALARS: Record<string, string> = {
	string: 'string',
	number: 'number',
	integer: 'number',
	boolean: 'boolean',
	null: 'null',
};

/** Writes the package. @param document The API document of a server of this version. @param folder What is there is removed. */
export async function buildClient(document: ApiDocument, folder: string): Promise<void> {
	const stage = await mkdtemp(join(tmpdir(), 'formsrv-client-'));
	try {
		await cp(join(SOURCE, 'src'), stage, { recursive: true });
		await Bun.write(join(stage, 'operations.ts'), operationsModule(document));
		await rm(folder, { recursive: true, force: true });
		const index = join(stage, 'index.ts');
		const built = await Bun.build({ entrypoints: [index], outdir: folder, target: 'browser' });
		if (!built.success) throw new AggregateError(built.logs, 'The client cannot be built.');
		const project = { compilerOptions: { ...TYPES, rootDir: stage, outDir: folder }, files: [index] };
		await Bun.write(join(stage, 'tsconfig.json'), JSON.stringify(project));
		const tsc = Bun.spawnSync([join(ROOT, 'node_modules/.bin/tsc'), '--project', stage]);
		if (!tsc.success) throw new Error(`The types of the client cannot be made:\n${tsc.stdout}`);
	} finally {
		await rm(stage, { recursive: true });
	}
	const { version, license } = manifest;
	const named = { name: '@formsrv/client', version, description: 'The API of a formsrv server, typed.', license };
	const entry = { types: './index.d.ts', default: './index.js' };
	const packed = { ...named, type: 'module', sideEffects: false, exports: { '.': entry }, types: entry.types };
	await Bun.write(join(folder, 'package.json'), `${JSON.stringify(packed, null, '\t')}\n`);
	for (const file of ['README.md', '../LICENSE']) await cp(join(SOURCE, file), join(folder, file.replace('../', '')));
}

/** The module of the types and routes, in TypeScript. */
export function operationsModule({ paths, components }: ApiDocument): string {
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		METHODS.flatMap((method) => (methods[method] ? [{ path, method, operation: methods[method] }] : [])),
	);
	const schemas = Object.entries(components.schemas).map(
		([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
	);
	const types = operations.map(
		({ operation }) =>
			`${comment(operation.description)}${operation.operationId}: { args: ${argsOf(operation)}; result: ${resultOf(operation)} };`,
	);
	const routes = operations.map(({ path, method, operation }) => {
		const marks = [
			...(isStream(operation) ? ['isStream: true'] : []),
			...(isKeyed(operation) ? ['isKeyed: true'] : []),
			...(rawType(operation) ? [`type: '${rawType(operation)}'`] : []),
		];
		const members = [`method: '${method.toUpperCase()}'`, `path: '${path}'`, ...marks];
		return `${operation.operationId}: { ${members.join(', ')} },`;
	});
	const lists = operations.flatMap(({ operation }) => {
		const list = listOf(operation, components.schemas);
		return list ? [{ name: operation.operationId, ...list }] : [];
	});
	return [
		'/** The operations of the API, and the types of what they take and return. */\n',
		...schemas,
		`export interface Operations {\n${types.join('\n')}\n}\n`,
		`/** The items of the lists that come in pages. */\nexport interface Paged {\n${lists.map(({ name, item }) => `${name}: ${item};`).join('\n')}\n}\n`,
		`/** The member of a page that has them. */\nexport const PAGED = {\n${lists.map(({ name, member }) => `${name}: '${member}',`).join('\n')}\n} as const;\n`,
		`export const ROUTES = {\n${routes.join('\n')}\n} as const;\n`,
	].join('\n');
}

function typeOf(schema: Schema): string {
	if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) as string;
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
	if (schema.anyOf) return schema.anyOf.map((one) => `(${typeOf(one)})`).join(' | ');
	if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ');
	if (Array.isArray(schema.type)) return schema.type.map((type) => `(${typeOf({ ...schema, type })})`).join(' | ');
	if (schema.type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
	if (schema.type === 'object') return objectOf(schema);
	return SCALARS[schema.type ?? ''] ?? 'unknown';
}

function objectOf({ properties, additionalProperties, required = [] }: Schema): string {
	const members = Object.entries(properties ?? {}).map(([name, schema]) => {
		const mark = required.includes(name) ? '' : '?';
		return `${comment(schema.description)}${JSON.stringify(name)}${mark}: ${typeOf(schema)};`;
	});
	const isOpen = additionalProperties === true || (!properties && additionalProperties === undefined);
	const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : isOpen && 'unknown';
	if (others && members.length === 0) return `Record<string, ${others}>`;
	return `{ ${members.join('\n')} }${others ? ` & Record<string, ${others}>` : ''}`;
}

function argsOf({ parameters = [], requestBody }: Operation): string {
	const members = parameters
		.filter(({ in: place }) => place !== 'header')
		.map(({ name, required, description, schema }) => {
			return `${comment(description)}${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)};`;
		});
	const { 'application/json': json, ...others } = requestBody?.content ?? {};
	const form = Object.keys(others).length > 0 ? ' | FormData | URLSearchParams' : '';
	if (json) members.push(`body${requestBody?.required ? '' : '?'}: ${typeOf(json.schema)}${form};`);
	else if (requestBody) members.push('body: string | Blob;');
	return `{ ${members.join('\n')} }`;
}

/** The type of a body that is no JSON. */
function rawType({ requestBody }: Operation): string | undefined {
	const types = Object.keys(requestBody?.content ?? {});
	return types.includes('application/json') ? undefined : types[0];
}

const contentsOf = ({ responses }: Operation) =>
	Object.entries(responses)
		.filter(([status]) => status.startsWith('2'))
		.map(([, { content = {} }]) => content);

/** True if it may return something else than JSON. */
const isStream = (operation: Operation) =>
	contentsOf(operation).some((content) => Object.keys(content).some((type) => type !== 'application/json'));
const isKeyed = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'Idempotency-Key');

function resultOf(operation: Operation): string {
	if (isStream(operation)) return 'Response';
	const types = contentsOf(operation).map((content) => typeOf(content['application/json']?.schema ?? {}));
	return [...new Set(types)].join(' | ');
}

/** The member of a page with its items, and their type. */
function listOf(operation: Operation, schemas: Record<string, Schema>) {
	const [content] = contentsOf(operation);
	const schema = content?.['application/json']?.schema;
	const { properties = {} } = (typeof schema?.$ref === 'string' ? schemas[typeOf(schema)] : schema) ?? {};
	const [member] = Object.entries(properties).find(([, { items }]) => items?.$ref !== undefined) ?? [];
	if (!properties.pagination || member === undefined) return undefined;
	return { member, item: typeOf(properties[member]?.items ?? {}) };
}

function comment(text: string | undefined): string {
	return text ? `/** ${text.replaceAll('*/', '* /')} */\n` : '';
}

/** Asks the application for its document, as a server of this version has it. */
export async function readDocument(): Promise<ApiDocument> {
	const cwd = await mkdtemp(join(tmpdir(), 'formsrv-document-'));
	const quiet = { write: () => {} };
	try {
		let document: ApiDocument | undefined;
		const cli = createCli({ stdout: quiet, stderr: quiet, env: {}, cwd });
		await cli.withApp(
			{},
			{
				create: true,
				action: 'document',
				use: async (app) => {
					document = await localApi(app, 'build').get<ApiDocument>('/api/openapi.json');
				},
			},
		);
		return document as ApiDocument;
	} finally {
		await rm(cwd, { recursive: true });
	}
}

if (import.meta.main) {
	const folder = join(ROOT, 'dist/client');
	await buildClient(await readDocument(), folder);
	console.log(`Built ${folder}`);
}
