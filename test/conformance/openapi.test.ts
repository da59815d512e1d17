/** The OpenAPI document of the program itself: valid, complete, and at one with the routes. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import { Elysia } from 'elysia';
import { openApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { ApiDocument } from '../../src/http/openapi-document.ts';
import { createLog } from '../../src/log/log.ts';
import { mountManagement } from '../../src/server/management-routes.ts';

const ROOT = join(import.meta.dir, '..', '..');

interface Example {
	value: { error: string };
}
interface Exemplified {
	schema: { $ref?: string };
	example?: unknown;
	examples?: Record<string, Example>;
}
interface Content {
	content?: Record<string, Exemplified>;
}
interface Operation {
	operationId: string;
	summary: string;
	description?: string;
	tags: string[];
	security?: object[];
	parameters?: ({ in: string; name: string; description?: string } & Exemplified)[];
	requestBody?: Content;
	responses: Record<string, Content>;
}

const folder = mkdtempSync(join(tmpdir(), 'formsrv-openapi-'));
const config = loadConfig({ flags: {}, env: { FORMSRV_DATA_DIR: folder }, cwd: folder, isTerminal: false });
const app = await openApp(config, { log: createLog({ level: 'error', format: 'json', write: () => {} }) });
const router = new Elysia();
mountManagement(router, app, { base: 'http://base.example', submit: 'http://submit.example' });
const answer = await router.handle(new Request('http://localhost/api/openapi.json'));
const api = (await answer.json()) as ApiDocument;
const operations = Object.entries(api.paths).flatMap(([path, { servers: _, ...item }]) =>
	Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
);

afterAll(async () => {
	await app.close();
	rmSync(folder, { recursive: true, force: true });
});

describe('the OpenAPI document', () => {
	test('is valid', async () => {
		expect(await new Validator().validate(api)).toEqual({ valid: true });
	});

	test('lists only names of types as the types of a schema, which the validator does not look at', () => {
		const lists: unknown[][] = [];
		JSON.stringify(api, (name, value) => {
			if (name === 'type' && Array.isArray(value)) lists.push(value);
			return value;
		});
		expect(lists.length).toBeGreaterThan(20);
		expect(lists.filter((types) => types.some((type) => typeof type !== 'string'))).toEqual([]);
	});

	test('holds every operation of the interface', () => {
		expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)).toEqual(
			expect.arrayContaining([
				'GET /api/forms',
				'POST /api/forms',
				'GET /api/forms/{id}',
				'PATCH /api/forms/{id}',
				'DELETE /api/forms/{id}',
				'GET /api/forms/{id}/submissions',
				'POST /api/f/{slug}',
				'POST /f/{slug}',
			]),
		);
	});

	test('leaves no route of the API out', () => {
		const served = router.routes.filter(
			({ path, method }) => /^\/api\/(?:forms|keys)(?:\/|$)/.test(path) && method !== 'OPTIONS',
		);
		const described = new Set(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`));
		const missing = served
			.map(({ path, method }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
			.filter((name) => !described.has(name));
		expect(missing).toEqual([]);
	});

	test('gives each operation an id of its own, a summary, a description and a declared tag', () => {
		const ids = operations.map(({ operation }) => operation.operationId);
		expect(new Set(ids).size).toBe(ids.length);
		const tags = new Set(api.tags.map(({ name }) => name));
		const bare = operations.filter(
			({ operation: { summary, description, tags: used = [] } }) =>
				!summary || !description || used.length !== 1 || !tags.has(`${used[0]}`),
		);
		expect(bare).toEqual([]);
	});

	test('describes every parameter', () => {
		const undescribed = operations.flatMap(({ path, operation }) =>
			(operation.parameters ?? []).filter(({ description }) => !description).map(({ name }) => `${path} ${name}`),
		);
		expect(undescribed).toEqual([]);
	});

	const isOpen = (security: object[]) =>
		security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);

	test('asks for a key everywhere but at the submission endpoint, its challenge, stamp and status, to sign in, and at the probes', () => {
		const open = operations.filter(({ operation: { security = [] } }) => isOpen(security)).map(({ path }) => path);
		const submitting = ['/api/f', '/f'].flatMap((prefix) =>
			['', '/challenge', '/stamp', '/status'].map((rest) => `${prefix}/{slug}${rest}`),
		);
		expect([...new Set(open)].sort()).toEqual(
			[...submitting, '/api/session', '/api/session/ways', '/files/{fileId}', '/health', '/ready'].sort(),
		);
	});

	test('describes every error as the error envelope', () => {
		const other = operations.flatMap(({ path, method, operation }) =>
			Object.entries(operation.responses)
				.filter(([status]) => status >= '400')
				.filter(([, { content }]) => !/\/(?:Error|SubmitError)$/.test(content?.['application/json']?.schema.$ref ?? ''))
				.map(([status]) => `${method} ${path} ${status}`),
		);
		expect(other).toEqual([]);
	});

	test('gives as the example of an error a sentence of the program', async () => {
		const paths = [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)].filter((path) => path !== 'src/http/openapi.ts');
		const texts = await Promise.all(paths.map((path) => Bun.file(join(ROOT, path)).text()));
		const sentences = texts.flatMap((source) => [...source.matchAll(/(['`])((?:[A-Z]\w*|“\$\{\w+\}”) .+?)\1[,;)]/gi)]);
		const said = sentences.map(
			([, , sentence]) =>
				new RegExp(
					`^${`${sentence}`
						.split(/\$?\{[^}]*\}/)
						.map(RegExp.escape)
						.join('.+')}$`,
				),
		);
		const examples = operations.flatMap(({ operation }) =>
			Object.values(operation.responses).flatMap(({ content }) =>
				Object.values(content?.['application/json']?.examples ?? {}),
			),
		);
		const shown = new Set(examples.map(({ value }) => value.error));
		expect([...shown].filter((sentence) => !said.some((pattern) => pattern.test(sentence)))).toEqual([]);
	});

	test('asks for a whole number where it returns one', () => {
		const { Form, UpdateForm } = api.components.schemas as Record<string, { properties: object }>;
		const wholes = (schema: object) =>
			Object.entries(schema).flatMap(([setting, { properties = {} }]) =>
				Object.entries(properties)
					.filter(([, member]) => /"integer"/.test(JSON.stringify(member)))
					.map(([name]) => `${setting}.${name}`),
			);
		const returned = wholes(Form?.properties ?? {}).filter((path) => path !== 'nextDeletion.count');
		expect(returned).toContain('retention.days');
		expect(wholes(UpdateForm?.properties ?? {})).toEqual(returned);
	});

	test('has examples that are what their schemas say', () => {
		const ajv = new Ajv2020({
			strict: false,
			formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/, date: /^\d{4}-\d\d-\d\d$/, binary: true },
		});
		ajv.addSchema(api, 'api');
		const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
		const validatorOf = (schema: string) => compiled.getOrInsertComputed(schema, () => ajv.compile(JSON.parse(schema)));
		const wrong: string[] = [];
		const check = (where: string, schema: object, example: unknown) => {
			const validate = validatorOf(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
			if (!validate(example)) wrong.push(`${where}: ${ajv.errorsText(validate.errors)}`);
		};
		for (const { path, method, operation } of operations) {
			const where = `${method} ${path}`;
			const contents = [...Object.values(operation.responses), operation.requestBody ?? {}];
			const bodies = contents.flatMap(({ content = {} }) => Object.values(content));
			for (const { schema, example, examples = {} } of [...bodies, ...(operation.parameters ?? [])]) {
				const values = Object.values(examples).map(({ value }) => value);
				for (const value of [example, ...values]) if (value !== undefined) check(where, schema, value);
			}
		}
		expect(wrong).toEqual([]);
	});

	test('says of every operation of a form that the form may be missing', () => {
		const silent = operations
			.filter(({ path }) => path.startsWith('/api/forms/{id}'))
			.filter(({ operation }) => {
				const { examples = {} } = operation.responses['404']?.content?.['application/json'] ?? {};
				return !('FORM_NOT_FOUND' in examples);
			})
			.map(({ operation }) => operation.operationId);
		expect(silent).toEqual([]);
	});
});
